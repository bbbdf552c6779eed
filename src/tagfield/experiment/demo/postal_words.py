"""Word lists for postal addresses by country, used by the grammars in postal_grammar.py.

Some words are in more than one list on purpose: Lincoln is a city, a street and a surname, Victoria is a district, a
city and a first name. `beginnings` and `endings` combine into invented place names. Within a list, earlier words are
more frequent, and every fourth word is held out from training.
"""

from tagfield.experiment.demo.grammar import Lists, word_list

COMMON: Lists = {
    "first_names": word_list(
        "Anna James Maria John Victoria Thomas Sofia Jackson Julia Marie Florence Lucas Emma Austin Pedro "
        "Laura Paris Yuki Hans Chiara Georgia Jan Lucia Charlotte Pierre Madison Carlos Virginia Kenji "
        "Sienna Marco Chester Ingrid Ana Diego Clara Lincoln Sara Tom Brooklyn Nina Paul Valencia Otto Mei "
        "Jordan Ella Dallas"
    ),
    "surnames": word_list(
        "Smith Müller Jackson Lincoln García Martin Rossi Silva Church Jansen Tanaka York Berg Santos Park "
        "London Weber Washington Milano Costa Houston Lane Dubois Moreau Chester Brown Wells Santiago "
        "de_Vries Madison Romano Field van_Dijk Neumann Sato Toledo Franklin Hill Leroy Salem Bianchi Kent "
        "Cleveland Lima Bach Ferreira Marsh Deal Strand Prado Street Burger Woods Lopez Hamburger Austin"
    ),
    "initials": word_list("J. A. M. K. L. P. T. R. S. C. E. H."),
    "firm_words": word_list(
        "Northern Atlas Green Global Lincoln Delta Nordic Alpine Union Sunrise River Pacific Florence Acorn "
        "Summit Harbour Metro Berlin Rapid Victoria Orion Silver Madison Coastal Royal Franklin Bright "
        "Central Paris Falcon"
    ),
    "trades": word_list(
        "Logistics Foods Bakery Software Dental Clinic Motors Books Media Textiles Pharmacy Consulting "
        "Garden_Centre Toys Electric Hotel School Cafe Properties Bikes Trading Tools Street_Wear Park_Hotel"
    ),
    "openings": word_list("deliver_to ship_to_: to_: address_: send_it_to my_new_address_is please_send_to Attn"),
    "titles": word_list("Mr Ms Dr Mrs Herr Frau M. Mme Sra. Prof. Sig."),
    "attention": word_list("c/o attn Attn_: z._Hd. FAO a/c"),
    "remarks": word_list("thanks please_ring_twice ring_the_bell call_before leave_at_the_door business_hours_only"),
    "phones": word_list("tel Tel. phone mobile tel_:"),
}

US: Lists = {
    "countries": word_list("USA United_States US U.S.A. United_States_of_America"),
    "cities": word_list(
        "Springfield Portland Lincoln Austin New_York Jackson Salem Madison Houston Denver Washington "
        "Cleveland Georgetown Franklin Clinton Arlington Dallas Boston Phoenix Columbus Charlotte Manchester "
        "Dover Lexington Aurora Burlington Florence Paris Rome Vienna Troy Athens Berlin Long_Beach "
        "Santa_Rosa Grand_Rapids Cedar_Falls St._Paul Fort_Worth Baton_Rouge El_Paso Little_Rock Las_Vegas "
        "San_Jose Oakland Eugene Reno"
    ),
    "districts": word_list(
        "Downtown Brooklyn Queens Midtown Georgetown Chelsea Lakeview Oak_Park Hyde_Park Riverside East_End "
        "Hillcrest Fairview Old_Town Westwood Soho"
    ),
    "streets": word_list(
        "Main Oak Lincoln Washington Maple Park Jackson Cedar Elm Lake Franklin Madison Church Pine River "
        "Jefferson Highland Mill Walnut Georgia Boston Houston Chestnut Spring Sunset Clinton Cherry "
        "Virginia Ridge Dover Railroad Union College Salem Prospect Willow Market Broad Cleveland Dogwood "
        "Austin Hickory Florence Grant Meadow Delaware Monroe Aspen"
    ),
    "beginnings": word_list(
        "Green Oak Brook Cedar Fair Glen Lake Maple North West Stone Clear Red Wood Ash Mill Silver Pine"
    ),
    "endings": word_list("ville field wood dale ton view burg haven ford port crest mont side land brook"),
    "regions": word_list(
        "California Texas New_York Washington Oregon Illinois Ohio Georgia Nebraska Maine Indiana Virginia "
        "Florida Delaware North_Carolina New_Mexico Colorado Louisiana Kansas Iowa"
    ),
    "states": word_list("CA TX NY WA OR IL OH GA NE ME IN VA FL DE NC NM CO LA KS IA"),
    "forms": word_list("Inc LLC Corp Inc. Co"),
    "kinds": word_list("Street St Ave Road Avenue St. Rd Drive Lane Dr Blvd Ct Ln Court Way Place Pl Terrace Circle"),
    "ordinals": word_list("2nd 5th 3rd 1st 12th 21st 42nd 34th"),
    "sides": word_list("N S West East NW E. North South"),
    "highways": word_list("Highway Hwy Route County_Road FM"),
    "famous": word_list("Broadway Avenue_of_the_Americas Avenue_C The_Strand Avenue_K"),
    "flats": word_list("Apt Unit # apt Apartment No Lot"),
    "suites": word_list("Suite Ste Rm Room"),
    "floors": word_list("Floor Fl floor Flr"),
    "boxes": word_list("PO_Box P.O._Box Box POB"),
}

UK: Lists = {
    "countries": word_list("United_Kingdom UK England Great_Britain Scotland Wales U.K."),
    "cities": word_list(
        "London Manchester Leeds Bristol York Lincoln Chester Durham Bath Cambridge Oxford Birmingham "
        "Glasgow Cardiff Liverpool Sheffield Wells Lancaster Boston Washington Richmond Victoria Perth "
        "Newport Preston Stoke-on-Trent Milton_Keynes Newcastle_upon_Tyne St_Albans Kings_Lynn "
        "Bury_St_Edmunds Reading Sandwich Deal Rugby Derby"
    ),
    "districts": word_list(
        "Headingley Victoria Chelsea Richmond Camden Clifton Hackney Didsbury Jesmond Brixton Soho Heaton "
        "Southgate Kensington Greenwich Upton Moseley Bath_Row Old_Trafford Kings_Cross"
    ),
    "streets": word_list(
        "High Church Victoria Station London Park York Mill Queens Albert Chapel Manchester Oxford Kings "
        "Grove Lincoln Bath Windsor Green Cambridge Bristol North Richmond Chester School Durham Castle "
        "Priory Albion Stanley Meadow Baker Cardiff Abbey Preston Orchard Nelson Reading Elm Derby"
    ),
    "beginnings": word_list(
        "Ash Brad Chip Dun East Farn Great Hart Kings Lang Mar Nor Oak Pen Rad Sal Thorn Wal Whit Wood"
    ),
    "endings": word_list("ham ley ton worth by ford bury combe stead wick field bourne mouth dale thorpe"),
    "regions": word_list(
        "West_Yorkshire Kent Lincs Surrey Lincolnshire Essex W_Yorks Durham Lancashire Norfolk "
        "Greater_Manchester Hants Hampshire Devon Berks Berkshire Co_Durham Lancs"
    ),
    "forms": word_list("Ltd PLC Ltd. &_Sons"),
    "kinds": word_list("Street Road Lane St Avenue Rd Close Gardens Ave Terrace Place Court Hill Row Crescent Mews"),
    "flats": word_list("Flat Unit flat Apartment"),
    "greens": word_list("Green Mall Avenue Parade Crescent"),
    "roses": word_list("Rose Ivy Station Mill Victoria Church Lincoln Park York Albert"),
    "houses": word_list("House Cottage Court Mill Lodge Works Hall"),
    "floors": word_list("First_Floor 1st_floor Ground_Floor Top_Floor ground_floor 2nd_floor"),
    "areas": word_list("LS M BS YO SW N EC LN CH DH W NE"),
    "letters": word_list("A B D E F G H J L N P Q R S T U W X Y Z"),
}

JAPAN: Lists = {
    "countries": word_list("Japan JAPAN Nippon JP"),
    "cities": word_list(
        "Tokyo Osaka Kyoto Yokohama Nagoya Sapporo Kobe Fukuoka Sendai Hiroshima Nara Kanazawa Chiba Nagano "
        "Kawasaki Niigata Okayama Kumamoto Matsuyama Naha Shizuoka Gifu"
    ),
    "districts": word_list(
        "Shinjuku Shibuya Minato Chuo Nishi Kita Setagaya Naka Higashi Sakyo Meguro Toshima Fushimi Aoba Minami Sumida"
    ),
    "streets": word_list(
        "Nishi-Shinjuku Ginza Roppongi Honmachi Sakae Jingumae Umeda Kitahama Marunouchi Akasaka Dotonbori "
        "Tenjin Hakata Motomachi Gion Ebisu Kanda Minami-Aoyama Nihonbashi Asakusa"
    ),
    "beginnings": word_list("Kita Mina Yama Kawa Taka Naka Hama Matsu Shira Fuji Aka Ishi Mura Toyo"),
    "endings": word_list("gawa yama machi saki hara mura zawa jima moto oka shima ta"),
    "regions": word_list("Tokyo Osaka Kanagawa Hokkaido Aichi Kyoto Hyogo Chiba Nagano"),
    "states": word_list("Tokyo-to Osaka-fu Kanagawa-ken Hokkaido Aichi-ken Kyoto-fu Hyogo-ken Chiba-ken Nagano-ken"),
    "forms": word_list("K.K. Co._Ltd. KK"),
    "roses": word_list("Sky Sakura Green Sunny Palace Grand"),
    "houses": word_list("Heights Building Bldg Tower Mansion Court"),
}

BRAZIL: Lists = {
    "countries": word_list("Brasil Brazil BRASIL BR"),
    "cities": word_list(
        "São_Paulo Rio_de_Janeiro Salvador Brasília Fortaleza Belo_Horizonte Curitiba Recife Manaus Santos "
        "Campinas Belém Porto_Alegre São_José_dos_Campos Natal Florianópolis Vitória Ribeirão_Preto Goiânia "
        "Santa_Maria Olinda Niterói"
    ),
    "districts": word_list(
        "Centro Copacabana Jardim_Paulista Vila_Mariana Boa_Vista Santo_Antônio Ipanema Moema Savassi "
        "Santa_Cruz Vila_Nova Liberdade Bela_Vista Pinheiros"
    ),
    "streets": word_list(
        "das_Flores Paulista São_João XV_de_Novembro da_Bahia Sete_de_Setembro Santos do_Comércio Brasil "
        "São_Paulo dos_Andradas 9_de_Julho Amazonas da_Liberdade Santa_Cruz Rio_Branco Belém das_Palmeiras "
        "Dom_Pedro_II Paraná Boa_Vista Independência Curitiba do_Sol"
    ),
    "beginnings": word_list("Nova Porto Monte Campo Barra Lagoa Serra"),
    "endings": word_list("lândia verde grande alegre belo claro dourado azul nópolis ense vista mar"),
    "regions": word_list(
        "São_Paulo Rio_de_Janeiro Bahia Minas_Gerais Paraná Pernambuco Ceará Amazonas Rio_Grande_do_Sul Goiás"
    ),
    "states": word_list("SP RJ BA MG PR PE CE AM RS GO"),
    "forms": word_list("Ltda ME S.A. Ltda."),
    "kinds": word_list("Rua R. Avenida Av. rua Travessa Al. Alameda Praça Rodovia"),
    "signs": word_list("nº n° no num"),
    "flats": word_list("apto ap Apto. sala casa conj."),
    "houses": word_list("Bloco bl Ed. Edifício"),
    "dashes": word_list("- / , –"),
}
