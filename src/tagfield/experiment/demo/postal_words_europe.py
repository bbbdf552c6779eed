"""Word lists for postal addresses of continental Europe; postal_words.py explains the lists."""

from tagfield.experiment.demo.grammar import Lists, word_list

GERMANY: Lists = {
    "countries": word_list("Germany Deutschland BRD GERMANY DE"),
    "cities": word_list(
        "Berlin Hamburg München Köln Frankfurt_am_Main Bremen Stuttgart Leipzig Dresden Münster Essen Halle "
        "Bonn Weimar Potsdam Lübeck Mainz Freiburg_im_Breisgau Neustadt Heidelberg Halle_(Saale) Ulm Aachen "
        "Jena Frankfurt_(Oder) Bad_Homburg Erfurt Fürth Kiel Rothenburg_ob_der_Tauber Würzburg Hagen Hof "
        "Singen"
    ),
    "districts": word_list(
        "Kreuzberg Altstadt Neustadt Mitte Schwabing Ehrenfeld Altona Prenzlauer_Berg Sachsenhausen "
        "Bockenheim Nordstadt Pankow Gohlis Linden Südvorstadt Wedding"
    ),
    "streets": word_list(
        "Bahnhof Haupt Garten Schul Linden Kirch Goethe Mühlen Schiller Wald Berg Ring Rosen Mozart Markt "
        "Burg Wiesen Post Kaiser Friedrich Birken Beethoven Schloss Park Eichen Wilhelm Brücken Hafen"
    ),
    "beginnings": word_list(
        "Ober Unter Neu Alt Schön Wald Bruch Eich Hirsch Lauter Königs Rosen Stein Alten Grün Mittel"
    ),
    "endings": word_list("hausen bach dorf feld heim berg burg stadt au walde brunn kirchen tal rode"),
    "regions": word_list(
        "Bayern Hessen Sachsen Nordrhein-Westfalen Niedersachsen Baden-Württemberg Thüringen Brandenburg NRW BW"
    ),
    "forms": word_list("GmbH AG KG e.V. & Co._KG"),
    "adjectives": word_list(
        "Berliner Hamburger Frankfurter Dresdner Leipziger Bremer Kölner Münchner Bonner Mainzer Ulmer Potsdamer"
    ),
    "kinds": word_list("str. straße weg strasse str allee gasse platz ring damm"),
    "avenues": word_list("Straße Str. Allee Platz Str Weg Ring Chaussee"),
    "squares": word_list("Markt Am_Bahnhof Am_Markt An_der_Linde Unter_den_Linden Zur_Mühle Im_Winkel Hauptmarkt"),
    "floors": word_list("EG 3._OG 2._OG 1._Stock DG Hochparterre"),
    "storeys": word_list("OG Stock Etage Stk."),
    "flats": word_list("Whg Wohnung Whg. App."),
    "houses": word_list("Hinterhaus Haus_B HH Haus_3 Gebäude_7 Haus_Linde"),
    "boxes": word_list("Postfach Postf. Pf PF"),
}

FRANCE: Lists = {
    "countries": word_list("France FRANCE FR République_française"),
    "cities": word_list(
        "Paris Lyon Marseille Nantes Lille Bordeaux Toulouse Nice Orléans Tours Reims Rennes Dijon Le_Havre "
        "La_Rochelle Saint-Denis Aix-en-Provence Clermont-Ferrand Le_Mans Sens Troyes Vienne Angers "
        "Saint-Étienne Brest Metz Valence Versailles Saint-Malo Aubagne"
    ),
    "districts": word_list(
        "Montmartre Belleville Le_Marais La_Défense Bastille Croix-Rousse Saint-Cyprien Les_Halles Vaise"
    ),
    "streets": word_list(
        "de_la_République Victor_Hugo de_Paris des_Fleurs du_8_mai_1945 Pasteur de_l'Église de_Lyon Voltaire "
        "Jean_Jaurès du_Moulin de_la_Gare Gambetta du_11_Novembre des_Écoles de_Verdun Saint-Denis Molière "
        "de_Marseille du_Château de_la_Paix de_Bretagne Émile_Zola Lafayette des_Lilas du_4_Septembre "
        "Nationale d'Orléans du_Pont des_Tilleuls"
    ),
    "beginnings": word_list("Mont Beau Roche Ville Champ Font Haute Bel Saint- Neuf Char Aigue Pierre Clair"),
    "endings": word_list("neuf fort court mont ville vert lieu val bourg rive igny euil ac ières"),
    "regions": word_list("Bretagne Normandie Île-de-France Occitanie Provence Alsace"),
    "forms": word_list("SARL SA SAS"),
    "kinds": word_list("rue avenue Rue av. bd place boulevard allée chemin quai impasse cours"),
    "repeats": word_list("bis ter B quater"),
    "houses": word_list("bât. Bâtiment bat Résidence Immeuble rés."),
    "storeys": word_list("étage et. étg etage"),
    "flats": word_list("appt apt Appartement porte"),
    "boxes": word_list("BP B.P. CS TSA"),
}

NETHERLANDS: Lists = {
    "countries": word_list("Netherlands The_Netherlands Nederland NL Holland"),
    "cities": word_list(
        "Amsterdam Utrecht Rotterdam Den_Haag Groningen Leiden Delft Haarlem Gouda Zwolle Breda Arnhem "
        "Tilburg Almere 's-Hertogenbosch Den_Bosch Bergen_op_Zoom Deventer Leeuwarden Alphen_aan_den_Rijn "
        "Hoorn Middelburg Roermond Ede"
    ),
    "districts": word_list("Jordaan De_Pijp Centrum Kralingen Oost Lombok Scheveningen Noord Wittevrouwen Binnenstad"),
    "streets": word_list(
        "Dorps Kerk Molen Haarlemmer Wilhelmina Beatrix School Utrechtse Linden Amsterdamse Juliana Nieuwe "
        "Stations Oranje Leidse Vondel Markt Haven Bloem Delftse Prinsen Koning Brug Arnhemse Tulpen Rozen "
        "Heren Zee"
    ),
    "beginnings": word_list("Nieuw Oud Zuid Noord Ooster Wester Hooge Lange Water Broek Heer Kerk Zand Groen"),
    "endings": word_list("dam veen wijk dijk hoven drecht burg kerk laan water horst rode beek"),
    "regions": word_list("Utrecht Groningen Zuid-Holland Noord-Brabant Gelderland Friesland"),
    "forms": word_list("B.V. BV N.V."),
    "kinds": word_list("straat weg laan gracht plein str. kade dijk singel"),
    "flats": word_list("II hs III bis app._2 A 3-hoog"),
    "squares": word_list("Markt Plein_1944 Grote_Markt Singel Lange_Voorhout Laan_1940-1945"),
    "boxes": word_list("Postbus postbus PB Pb."),
    "letters": word_list("A B C D E G H J K L N P R S T V X Z"),
}

SPAIN: Lists = {
    "countries": word_list("España Spain ESPAÑA ES"),
    "cities": word_list(
        "Madrid Barcelona Valencia Sevilla Zaragoza Granada Toledo Córdoba León Bilbao Málaga Salamanca "
        "Alicante Murcia San_Sebastián Santiago_de_Compostela Las_Palmas Alcalá_de_Henares Santander Burgos "
        "Cádiz Jerez_de_la_Frontera Vigo Palma Cuenca Mérida Segovia Gijón"
    ),
    "districts": word_list(
        "Salamanca Chamberí Triana Gràcia Ruzafa Lavapiés El_Carmen Centro Ensanche Vallecas La_Latina"
    ),
    "streets": word_list(
        "Mayor de_Alcalá Real San_Juan de_Toledo Nueva de_la_Constitución Colón de_Valencia del_Sol Granada "
        "Serrano de_Madrid de_las_Flores Santa_Ana Cervantes de_la_Iglesia Velázquez de_Barcelona del_Carmen "
        "2_de_Mayo Goya de_los_Reyes Murcia del_Pilar San_Pedro Salamanca de_León Ancha del_Prado"
    ),
    "beginnings": word_list("Villa Torre Monte Fuente Castil Val Puebla Rio Casa Peña Agua Santa"),
    "endings": word_list("nueva mayor verde real blanca seca hermosa alta franca bella dueña rejo"),
    "regions": word_list("Madrid Valencia Andalucía Cataluña Toledo Murcia Alicante León"),
    "states": word_list("M V AND CAT TO MU A LE"),
    "forms": word_list("S.L. S.A. SL"),
    "kinds": word_list("Calle C/ Avenida calle Avda. Plaza Paseo Av. Ronda Pza."),
    "signs": word_list("nº num n. núm."),
    "doors": word_list("A B izq C dcha D 2 centro"),
    "houses": word_list("Bloque Portal Edificio Esc."),
    "boxes": word_list("Apartado Apdo. Apartado_de_Correos Aptdo"),
}

ITALY: Lists = {
    "countries": word_list("Italia Italy ITALIA IT"),
    "cities": word_list(
        "Roma Milano Napoli Torino Firenze Bologna Venezia Genova Palermo Verona Siena Parma Bari Pisa Lecce "
        "Reggio_Emilia La_Spezia Ascoli_Piceno Trento Modena Padova Como San_Gimignano Ferrara Lucca Vicenza "
        "Ravenna Sesto_San_Giovanni"
    ),
    "districts": word_list(
        "Trastevere Brera Navigli Testaccio Oltrarno Vomero San_Lorenzo Centro_Storico Isola Garbatella Prati"
    ),
    "streets": word_list(
        "Roma Garibaldi Dante Mazzini Milano XX_Settembre della_Libertà Verdi Torino San_Marco Cavour "
        "dei_Mille Vittorio_Emanuele_II Napoli IV_Novembre del_Corso Marconi Venezia della_Repubblica "
        "Manzoni 25_Aprile Firenze delle_Rose Petrarca Genova Santa_Lucia dei_Fiori Matteotti"
    ),
    "beginnings": word_list("Monte Castel Villa Campo Borgo Ponte Rocca Valle Torre Serra Pietra"),
    "endings": word_list("rosso franco nuovo bello vecchio alto chiaro verde forte lungo secco marino"),
    "regions": word_list("Roma Milano Napoli Torino Firenze Bologna Toscana Verona Siena Como Parma Bari"),
    "states": word_list("RM MI NA TO FI BO TOS VR SI CO PR BA"),
    "forms": word_list("S.r.l. S.p.A. srl"),
    "kinds": word_list("Via via Viale Piazza Corso P.za V.le Largo C.so Vicolo"),
    "doors": word_list("A B 3 C"),
    "flats": word_list("int. interno scala int sc. Sc."),
    "floors": word_list("piano_2 2°_piano p._3 piano_terra 3_piano"),
    "houses": word_list("Palazzina_C pal._4 Palazzo_Dante Villa_Roma"),
}
