"""Words of postal addresses by country; the grammars in postal_grammar.py name these lists.

Several words stand in more than one list on purpose: Lincoln is a city, a street and a surname, Victoria a
district, a city and a first name. `beginnings` and `endings` compose names of places that nobody has seen.
Within a list the frequent words come first, and every fourth is held out from training.
"""

from tagfield.text.demo.grammar import Lists, listed

COMMON: Lists = {
    "first_names": listed(
        "Anna James Maria John Victoria Thomas Sofia Jackson Julia Marie Florence Lucas Emma Austin Pedro "
        "Laura Paris Yuki Hans Chiara Georgia Jan Lucia Charlotte Pierre Madison Carlos Virginia Kenji "
        "Sienna Marco Chester Ingrid Ana Diego Clara Lincoln Sara Tom Brooklyn Nina Paul Valencia Otto Mei "
        "Jordan Ella Dallas"
    ),
    "surnames": listed(
        "Smith Müller Jackson Lincoln García Martin Rossi Silva Church Jansen Tanaka York Berg Santos Park "
        "London Weber Washington Milano Costa Houston Lane Dubois Moreau Chester Brown Wells Santiago "
        "de_Vries Madison Romano Field van_Dijk Neumann Sato Toledo Franklin Hill Leroy Salem Bianchi Kent "
        "Cleveland Lima Bach Ferreira Marsh Deal Strand Prado Street Burger Woods Lopez Hamburger Austin"
    ),
    "initials": listed("J. A. M. K. L. P. T. R. S. C. E. H."),
    "firm_words": listed(
        "Northern Atlas Green Global Lincoln Delta Nordic Alpine Union Sunrise River Pacific Florence Acorn "
        "Summit Harbour Metro Berlin Rapid Victoria Orion Silver Madison Coastal Royal Franklin Bright "
        "Central Paris Falcon"
    ),
    "trades": listed(
        "Logistics Foods Bakery Software Dental Clinic Motors Books Media Textiles Pharmacy Consulting "
        "Garden_Centre Toys Electric Hotel School Cafe Properties Bikes Trading Tools Street_Wear Park_Hotel"
    ),
    "openings": listed(
        "deliver_to ship_to_: to_: address_: send_it_to my_new_address_is please_send_to Attn"
    ),
    "titles": listed("Mr Ms Dr Mrs Herr Frau M. Mme Sra. Prof. Sig."),
    "attention": listed("c/o attn Attn_: z._Hd. FAO a/c"),
    "remarks": listed(
        "thanks please_ring_twice ring_the_bell call_before leave_at_the_door business_hours_only"
    ),
    "phones": listed("tel Tel. phone mobile tel_:"),
}

US: Lists = {
    "countries": listed("USA United_States US U.S.A. United_States_of_America"),
    "cities": listed(
        "Springfield Portland Lincoln Austin New_York Jackson Salem Madison Houston Denver Washington "
        "Cleveland Georgetown Franklin Clinton Arlington Dallas Boston Phoenix Columbus Charlotte Manchester "
        "Dover Lexington Aurora Burlington Florence Paris Rome Vienna Troy Athens Berlin Long_Beach "
        "Santa_Rosa Grand_Rapids Cedar_Falls St._Paul Fort_Worth Baton_Rouge El_Paso Little_Rock Las_Vegas "
        "San_Jose Oakland Eugene Reno"
    ),
    "districts": listed(
        "Downtown Brooklyn Queens Midtown Georgetown Chelsea Lakeview Oak_Park Hyde_Park Riverside East_End "
        "Hillcrest Fairview Old_Town Westwood Soho"
    ),
    "streets": listed(
        "Main Oak Lincoln Washington Maple Park Jackson Cedar Elm Lake Franklin Madison Church Pine River "
        "Jefferson Highland Mill Walnut Georgia Boston Houston Chestnut Spring Sunset Clinton Cherry "
        "Virginia Ridge Dover Railroad Union College Salem Prospect Willow Market Broad Cleveland Dogwood "
        "Austin Hickory Florence Grant Meadow Delaware Monroe Aspen"
    ),
    "beginnings": listed(
        "Green Oak Brook Cedar Fair Glen Lake Maple North West Stone Clear Red Wood Ash Mill Silver Pine"
    ),
    "endings": listed("ville field wood dale ton view burg haven ford port crest mont side land brook"),
    "regions": listed(
        "California Texas New_York Washington Oregon Illinois Ohio Georgia Nebraska Maine Indiana Virginia "
        "Florida Delaware North_Carolina New_Mexico Colorado Louisiana Kansas Iowa"
    ),
    "states": listed("CA TX NY WA OR IL OH GA NE ME IN VA FL DE NC NM CO LA KS IA"),
    "forms": listed("Inc LLC Corp Inc. Co"),
    "kinds": listed(
        "Street St Ave Road Avenue St. Rd Drive Lane Dr Blvd Ct Ln Court Way Place Pl Terrace Circle"
    ),
    "ordinals": listed("2nd 5th 3rd 1st 12th 21st 42nd 34th"),
    "sides": listed("N S West East NW E. North South"),
    "highways": listed("Highway Hwy Route County_Road FM"),
    "famous": listed("Broadway Avenue_of_the_Americas Avenue_C The_Strand Avenue_K"),
    "flats": listed("Apt Unit # apt Apartment No Lot"),
    "suites": listed("Suite Ste Rm Room"),
    "floors": listed("Floor Fl floor Flr"),
    "boxes": listed("PO_Box P.O._Box Box POB"),
}

UK: Lists = {
    "countries": listed("United_Kingdom UK England Great_Britain Scotland Wales U.K."),
    "cities": listed(
        "London Manchester Leeds Bristol York Lincoln Chester Durham Bath Cambridge Oxford Birmingham "
        "Glasgow Cardiff Liverpool Sheffield Wells Lancaster Boston Washington Richmond Victoria Perth "
        "Newport Preston Stoke-on-Trent Milton_Keynes Newcastle_upon_Tyne St_Albans Kings_Lynn "
        "Bury_St_Edmunds Reading Sandwich Deal Rugby Derby"
    ),
    "districts": listed(
        "Headingley Victoria Chelsea Richmond Camden Clifton Hackney Didsbury Jesmond Brixton Soho Heaton "
        "Southgate Kensington Greenwich Upton Moseley Bath_Row Old_Trafford Kings_Cross"
    ),
    "streets": listed(
        "High Church Victoria Station London Park York Mill Queens Albert Chapel Manchester Oxford Kings "
        "Grove Lincoln Bath Windsor Green Cambridge Bristol North Richmond Chester School Durham Castle "
        "Priory Albion Stanley Meadow Baker Cardiff Abbey Preston Orchard Nelson Reading Elm Derby"
    ),
    "beginnings": listed(
        "Ash Brad Chip Dun East Farn Great Hart Kings Lang Mar Nor Oak Pen Rad Sal Thorn Wal Whit Wood"
    ),
    "endings": listed("ham ley ton worth by ford bury combe stead wick field bourne mouth dale thorpe"),
    "regions": listed(
        "West_Yorkshire Kent Lincs Surrey Lincolnshire Essex W_Yorks Durham Lancashire Norfolk "
        "Greater_Manchester Hants Hampshire Devon Berks Berkshire Co_Durham Lancs"
    ),
    "forms": listed("Ltd PLC Ltd. &_Sons"),
    "kinds": listed(
        "Street Road Lane St Avenue Rd Close Gardens Ave Terrace Place Court Hill Row Crescent Mews"
    ),
    "flats": listed("Flat Unit flat Apartment"),
    "greens": listed("Green Mall Avenue Parade Crescent"),
    "roses": listed("Rose Ivy Station Mill Victoria Church Lincoln Park York Albert"),
    "houses": listed("House Cottage Court Mill Lodge Works Hall"),
    "floors": listed("First_Floor 1st_floor Ground_Floor Top_Floor ground_floor 2nd_floor"),
    "areas": listed("LS M BS YO SW N EC LN CH DH W NE"),
    "letters": listed("A B D E F G H J L N P Q R S T U W X Y Z"),
}

JAPAN: Lists = {
    "countries": listed("Japan JAPAN Nippon JP"),
    "cities": listed(
        "Tokyo Osaka Kyoto Yokohama Nagoya Sapporo Kobe Fukuoka Sendai Hiroshima Nara Kanazawa Chiba Nagano "
        "Kawasaki Niigata Okayama Kumamoto Matsuyama Naha Shizuoka Gifu"
    ),
    "districts": listed(
        "Shinjuku Shibuya Minato Chuo Nishi Kita Setagaya Naka Higashi Sakyo Meguro Toshima Fushimi Aoba "
        "Minami Sumida"
    ),
    "streets": listed(
        "Nishi-Shinjuku Ginza Roppongi Honmachi Sakae Jingumae Umeda Kitahama Marunouchi Akasaka Dotonbori "
        "Tenjin Hakata Motomachi Gion Ebisu Kanda Minami-Aoyama Nihonbashi Asakusa"
    ),
    "beginnings": listed("Kita Mina Yama Kawa Taka Naka Hama Matsu Shira Fuji Aka Ishi Mura Toyo"),
    "endings": listed("gawa yama machi saki hara mura zawa jima moto oka shima ta"),
    "regions": listed("Tokyo Osaka Kanagawa Hokkaido Aichi Kyoto Hyogo Chiba Nagano"),
    "states": listed(
        "Tokyo-to Osaka-fu Kanagawa-ken Hokkaido Aichi-ken Kyoto-fu Hyogo-ken Chiba-ken Nagano-ken"
    ),
    "forms": listed("K.K. Co._Ltd. KK"),
    "roses": listed("Sky Sakura Green Sunny Palace Grand"),
    "houses": listed("Heights Building Bldg Tower Mansion Court"),
}

BRAZIL: Lists = {
    "countries": listed("Brasil Brazil BRASIL BR"),
    "cities": listed(
        "São_Paulo Rio_de_Janeiro Salvador Brasília Fortaleza Belo_Horizonte Curitiba Recife Manaus Santos "
        "Campinas Belém Porto_Alegre São_José_dos_Campos Natal Florianópolis Vitória Ribeirão_Preto Goiânia "
        "Santa_Maria Olinda Niterói"
    ),
    "districts": listed(
        "Centro Copacabana Jardim_Paulista Vila_Mariana Boa_Vista Santo_Antônio Ipanema Moema Savassi "
        "Santa_Cruz Vila_Nova Liberdade Bela_Vista Pinheiros"
    ),
    "streets": listed(
        "das_Flores Paulista São_João XV_de_Novembro da_Bahia Sete_de_Setembro Santos do_Comércio Brasil "
        "São_Paulo dos_Andradas 9_de_Julho Amazonas da_Liberdade Santa_Cruz Rio_Branco Belém das_Palmeiras "
        "Dom_Pedro_II Paraná Boa_Vista Independência Curitiba do_Sol"
    ),
    "beginnings": listed("Nova Porto Monte Campo Barra Lagoa Serra"),
    "endings": listed("lândia verde grande alegre belo claro dourado azul nópolis ense vista mar"),
    "regions": listed(
        "São_Paulo Rio_de_Janeiro Bahia Minas_Gerais Paraná Pernambuco Ceará Amazonas Rio_Grande_do_Sul Goiás"
    ),
    "states": listed("SP RJ BA MG PR PE CE AM RS GO"),
    "forms": listed("Ltda ME S.A. Ltda."),
    "kinds": listed("Rua R. Avenida Av. rua Travessa Al. Alameda Praça Rodovia"),
    "signs": listed("nº n° no num"),
    "flats": listed("apto ap Apto. sala casa conj."),
    "houses": listed("Bloco bl Ed. Edifício"),
    "dashes": listed("- / , –"),
}
