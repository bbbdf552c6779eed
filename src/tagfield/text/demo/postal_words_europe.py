"""Words of postal addresses of the European continent; postal_words.py says how the lists are made."""

from tagfield.text.demo.grammar import Lists, listed

GERMANY: Lists = {
    "countries": listed("Germany Deutschland BRD GERMANY DE"),
    "cities": listed(
        "Berlin Hamburg München Köln Frankfurt_am_Main Bremen Stuttgart Leipzig Dresden Münster Essen Halle "
        "Bonn Weimar Potsdam Lübeck Mainz Freiburg_im_Breisgau Neustadt Heidelberg Halle_(Saale) Ulm Aachen "
        "Jena Frankfurt_(Oder) Bad_Homburg Erfurt Fürth Kiel Rothenburg_ob_der_Tauber Würzburg Hagen Hof "
        "Singen"
    ),
    "districts": listed(
        "Kreuzberg Altstadt Neustadt Mitte Schwabing Ehrenfeld Altona Prenzlauer_Berg Sachsenhausen "
        "Bockenheim Nordstadt Pankow Gohlis Linden Südvorstadt Wedding"
    ),
    "streets": listed(
        "Bahnhof Haupt Garten Schul Linden Kirch Goethe Mühlen Schiller Wald Berg Ring Rosen Mozart Markt "
        "Burg Wiesen Post Kaiser Friedrich Birken Beethoven Schloss Park Eichen Wilhelm Brücken Hafen"
    ),
    "beginnings": listed(
        "Ober Unter Neu Alt Schön Wald Bruch Eich Hirsch Lauter Königs Rosen Stein Alten Grün Mittel"
    ),
    "endings": listed("hausen bach dorf feld heim berg burg stadt au walde brunn kirchen tal rode"),
    "regions": listed(
        "Bayern Hessen Sachsen Nordrhein-Westfalen Niedersachsen Baden-Württemberg Thüringen Brandenburg NRW "
        "BW"
    ),
    "forms": listed("GmbH AG KG e.V. & Co._KG"),
    "adjectives": listed(
        "Berliner Hamburger Frankfurter Dresdner Leipziger Bremer Kölner Münchner Bonner Mainzer Ulmer "
        "Potsdamer"
    ),
    "kinds": listed("str. straße weg strasse str allee gasse platz ring damm"),
    "avenues": listed("Straße Str. Allee Platz Str Weg Ring Chaussee"),
    "squares": listed(
        "Markt Am_Bahnhof Am_Markt An_der_Linde Unter_den_Linden Zur_Mühle Im_Winkel Hauptmarkt"
    ),
    "floors": listed("EG 3._OG 2._OG 1._Stock DG Hochparterre"),
    "storeys": listed("OG Stock Etage Stk."),
    "flats": listed("Whg Wohnung Whg. App."),
    "houses": listed("Hinterhaus Haus_B HH Haus_3 Gebäude_7 Haus_Linde"),
    "boxes": listed("Postfach Postf. Pf PF"),
}

FRANCE: Lists = {
    "countries": listed("France FRANCE FR République_française"),
    "cities": listed(
        "Paris Lyon Marseille Nantes Lille Bordeaux Toulouse Nice Orléans Tours Reims Rennes Dijon Le_Havre "
        "La_Rochelle Saint-Denis Aix-en-Provence Clermont-Ferrand Le_Mans Sens Troyes Vienne Angers "
        "Saint-Étienne Brest Metz Valence Versailles Saint-Malo Aubagne"
    ),
    "districts": listed(
        "Montmartre Belleville Le_Marais La_Défense Bastille Croix-Rousse Saint-Cyprien Les_Halles Vaise"
    ),
    "streets": listed(
        "de_la_République Victor_Hugo de_Paris des_Fleurs du_8_mai_1945 Pasteur de_l'Église de_Lyon Voltaire "
        "Jean_Jaurès du_Moulin de_la_Gare Gambetta du_11_Novembre des_Écoles de_Verdun Saint-Denis Molière "
        "de_Marseille du_Château de_la_Paix de_Bretagne Émile_Zola Lafayette des_Lilas du_4_Septembre "
        "Nationale d'Orléans du_Pont des_Tilleuls"
    ),
    "beginnings": listed("Mont Beau Roche Ville Champ Font Haute Bel Saint- Neuf Char Aigue Pierre Clair"),
    "endings": listed("neuf fort court mont ville vert lieu val bourg rive igny euil ac ières"),
    "regions": listed("Bretagne Normandie Île-de-France Occitanie Provence Alsace"),
    "forms": listed("SARL SA SAS"),
    "kinds": listed("rue avenue Rue av. bd place boulevard allée chemin quai impasse cours"),
    "repeats": listed("bis ter B quater"),
    "houses": listed("bât. Bâtiment bat Résidence Immeuble rés."),
    "storeys": listed("étage et. étg etage"),
    "flats": listed("appt apt Appartement porte"),
    "boxes": listed("BP B.P. CS TSA"),
}

NETHERLANDS: Lists = {
    "countries": listed("Netherlands The_Netherlands Nederland NL Holland"),
    "cities": listed(
        "Amsterdam Utrecht Rotterdam Den_Haag Groningen Leiden Delft Haarlem Gouda Zwolle Breda Arnhem "
        "Tilburg Almere 's-Hertogenbosch Den_Bosch Bergen_op_Zoom Deventer Leeuwarden Alphen_aan_den_Rijn "
        "Hoorn Middelburg Roermond Ede"
    ),
    "districts": listed(
        "Jordaan De_Pijp Centrum Kralingen Oost Lombok Scheveningen Noord Wittevrouwen Binnenstad"
    ),
    "streets": listed(
        "Dorps Kerk Molen Haarlemmer Wilhelmina Beatrix School Utrechtse Linden Amsterdamse Juliana Nieuwe "
        "Stations Oranje Leidse Vondel Markt Haven Bloem Delftse Prinsen Koning Brug Arnhemse Tulpen Rozen "
        "Heren Zee"
    ),
    "beginnings": listed("Nieuw Oud Zuid Noord Ooster Wester Hooge Lange Water Broek Heer Kerk Zand Groen"),
    "endings": listed("dam veen wijk dijk hoven drecht burg kerk laan water horst rode beek"),
    "regions": listed("Utrecht Groningen Zuid-Holland Noord-Brabant Gelderland Friesland"),
    "forms": listed("B.V. BV N.V."),
    "kinds": listed("straat weg laan gracht plein str. kade dijk singel"),
    "flats": listed("II hs III bis app._2 A 3-hoog"),
    "squares": listed("Markt Plein_1944 Grote_Markt Singel Lange_Voorhout Laan_1940-1945"),
    "boxes": listed("Postbus postbus PB Pb."),
    "letters": listed("A B C D E G H J K L N P R S T V X Z"),
}

SPAIN: Lists = {
    "countries": listed("España Spain ESPAÑA ES"),
    "cities": listed(
        "Madrid Barcelona Valencia Sevilla Zaragoza Granada Toledo Córdoba León Bilbao Málaga Salamanca "
        "Alicante Murcia San_Sebastián Santiago_de_Compostela Las_Palmas Alcalá_de_Henares Santander Burgos "
        "Cádiz Jerez_de_la_Frontera Vigo Palma Cuenca Mérida Segovia Gijón"
    ),
    "districts": listed(
        "Salamanca Chamberí Triana Gràcia Ruzafa Lavapiés El_Carmen Centro Ensanche Vallecas La_Latina"
    ),
    "streets": listed(
        "Mayor de_Alcalá Real San_Juan de_Toledo Nueva de_la_Constitución Colón de_Valencia del_Sol Granada "
        "Serrano de_Madrid de_las_Flores Santa_Ana Cervantes de_la_Iglesia Velázquez de_Barcelona del_Carmen "
        "2_de_Mayo Goya de_los_Reyes Murcia del_Pilar San_Pedro Salamanca de_León Ancha del_Prado"
    ),
    "beginnings": listed("Villa Torre Monte Fuente Castil Val Puebla Rio Casa Peña Agua Santa"),
    "endings": listed("nueva mayor verde real blanca seca hermosa alta franca bella dueña rejo"),
    "regions": listed("Madrid Valencia Andalucía Cataluña Toledo Murcia Alicante León"),
    "states": listed("M V AND CAT TO MU A LE"),
    "forms": listed("S.L. S.A. SL"),
    "kinds": listed("Calle C/ Avenida calle Avda. Plaza Paseo Av. Ronda Pza."),
    "signs": listed("nº num n. núm."),
    "doors": listed("A B izq C dcha D 2 centro"),
    "houses": listed("Bloque Portal Edificio Esc."),
    "boxes": listed("Apartado Apdo. Apartado_de_Correos Aptdo"),
}

ITALY: Lists = {
    "countries": listed("Italia Italy ITALIA IT"),
    "cities": listed(
        "Roma Milano Napoli Torino Firenze Bologna Venezia Genova Palermo Verona Siena Parma Bari Pisa Lecce "
        "Reggio_Emilia La_Spezia Ascoli_Piceno Trento Modena Padova Como San_Gimignano Ferrara Lucca Vicenza "
        "Ravenna Sesto_San_Giovanni"
    ),
    "districts": listed(
        "Trastevere Brera Navigli Testaccio Oltrarno Vomero San_Lorenzo Centro_Storico Isola Garbatella Prati"
    ),
    "streets": listed(
        "Roma Garibaldi Dante Mazzini Milano XX_Settembre della_Libertà Verdi Torino San_Marco Cavour "
        "dei_Mille Vittorio_Emanuele_II Napoli IV_Novembre del_Corso Marconi Venezia della_Repubblica "
        "Manzoni 25_Aprile Firenze delle_Rose Petrarca Genova Santa_Lucia dei_Fiori Matteotti"
    ),
    "beginnings": listed("Monte Castel Villa Campo Borgo Ponte Rocca Valle Torre Serra Pietra"),
    "endings": listed("rosso franco nuovo bello vecchio alto chiaro verde forte lungo secco marino"),
    "regions": listed("Roma Milano Napoli Torino Firenze Bologna Toscana Verona Siena Como Parma Bari"),
    "states": listed("RM MI NA TO FI BO TOS VR SI CO PR BA"),
    "forms": listed("S.r.l. S.p.A. srl"),
    "kinds": listed("Via via Viale Piazza Corso P.za V.le Largo C.so Vicolo"),
    "doors": listed("A B 3 C"),
    "flats": listed("int. interno scala int sc. Sc."),
    "floors": listed("piano_2 2°_piano p._3 piano_terra 3_piano"),
    "houses": listed("Palazzina_C pal._4 Palazzo_Dante Villa_Roma"),
}
