"""Address grammars of nine countries (see grammar.py).

A bar ends a line, which holds what people write together, such as "12 Oak St". postal.py joins the lines, with a
separator or without.
"""

from tagfield.experiment.demo.grammar import Grammar

COMMON: Grammar = {
    "composed": [(1, "{beginnings} ~ {endings}")],
    "place": [(85, "{cities}"), (15, "<composed>")],
    "core": [(62, "{streets}"), (18, "<composed>"), (12, "{cities}"), (8, "{surnames}")],
    "area": [(85, ""), (13, "[DISTRICT {districts} ]"), (2, "[DISTRICT <composed> ]")],
    "house": [(30, "9"), (36, "98"), (18, "188"), (4, "9b"), (4, "98a"), (3, "98-98"), (3, "288")],
    "who": [
        (44, ""),
        (3, "{openings}"),
        (30, "<person>"),
        (11, "<company>"),
        (4, "<person> | <company>"),
        (3, "<company> | <person>"),
        (3, "<company> | {attention} <person>"),
        (2, "<person> | {attention} <company>"),
        (5, "{openings} <person>"),
        (2, "{openings} <company>"),
    ],
    "person": [(85, "[NAME <name> ]"), (15, "{titles} [NAME <name> ]")],
    "name": [
        (62, "{first_names} {surnames}"),
        (10, "{initials} {surnames}"),
        (10, "{surnames}"),
        (10, "{surnames} {first_names}"),
        (8, "{first_names}"),
    ],
    "company": [(55, "[ORG <firm> {forms} ]"), (45, "[ORG <firm> ]")],
    "firm": [(55, "{firm_words} {trades}"), (25, "{surnames} {trades}"), (8, "{surnames}"), (12, "{firm_words}")],
    "end": [(68, ""), (32, "[COUNTRY {countries} ]")],
    "remark": [(87, ""), (2, "."), (4, "{remarks}"), (4, "{phones} 888 8888"), (3, "{phones} 88 8888888")],
}

US: Grammar = {
    "address": [(1, "<line> | <area> | [CITY <place> ] | <state>")],
    "line": [(57, "<road>"), (22, "<road> <inside>"), (15, "<road> | <inside>"), (6, "[POBOX {boxes} 98888 ]")],
    "road": [(1, "[NUMBER <number> ] [STREET <way> ]")],
    "number": [(30, "98"), (35, "988"), (25, "9888"), (10, "19888")],
    "way": [(80, "<named>"), (20, "{sides} <named>")],
    "named": [
        (70, "<core> {kinds}"),
        (6, "{ordinals} {kinds}"),
        (6, "98th {kinds}"),
        (6, "{highways} 98"),
        (7, "<core>"),
        (5, "{famous}"),
    ],
    "inside": [
        (30, "[UNIT {flats} 98 ]"),
        (15, "[UNIT {flats} 9B ]"),
        (20, "[UNIT {suites} 988 ]"),
        (7, "[UNIT 98A ]"),
        (7, "[UNIT 988 ]"),
        (5, "[UNIT #98 ]"),
        (16, "[FLOOR {ordinals} {floors} ]"),
    ],
    "state": [
        (46, "[REGION {states} ] [POSTCODE 88888 ]"),
        (24, "[REGION {regions} ] [POSTCODE 88888 ]"),
        (4, "[REGION {states} ] [POSTCODE 88888-8888 ]"),
        (11, "[REGION {regions} ]"),
        (10, "[POSTCODE 88888 ]"),
        (5, ""),
    ],
}

UK: Grammar = {
    "address": [(55, "<where> | <area> | <area> | <town> <code>"), (45, "<where> | <area> | <town> | <county>")],
    "where": [
        (54, "<road>"),
        (20, "[UNIT <flat> ] | <road>"),
        (6, "[UNIT <flat> ] <road>"),
        (8, "<house_name> | <road>"),
        (6, "<house_name> | [STREET <way> ]"),
        (3, "[UNIT <flat> ] | <house_name> | <road>"),
        (5, "<road> | [FLOOR {floors} ]"),
    ],
    "road": [(1, "[NUMBER <house> ] [STREET <way> ]")],
    "way": [(92, "<core> {kinds}"), (4, "The {greens}"), (4, "The {kinds}")],
    "flat": [(50, "Flat 9"), (15, "Flat 98"), (10, "{flats} B"), (10, "{flats} 9"), (8, "98"), (7, "9A")],
    "house_name": [(50, "[BUILDING {roses} {houses} ]"), (50, "[BUILDING {surnames} {houses} ]")],
    "town": [(1, "[CITY <place> ]")],
    "code": [(80, "[POSTCODE <outer> <inner> ]"), (15, "[POSTCODE <outer> ~ <inner> ]"), (5, "[POSTCODE <outer> ]")],
    "outer": [(45, "{areas} ~ 9"), (45, "{areas} ~ 18"), (10, "{areas} ~ 9A")],
    "inner": [(1, "9 ~ {letters} ~ {letters}")],
    "county": [(80, "[REGION {regions} ] <code>"), (20, "[REGION {regions} ]")],
}

GERMANY: Grammar = {
    "address": [(92, "<where> | <area> | <town>"), (8, "<where> | <area> | <town> | [REGION {regions} ]")],
    "where": [
        (71, "<road>"),
        (8, "<road> | [FLOOR {floors} ]"),
        (4, "<road> | [FLOOR 9. {storeys} ]"),
        (6, "<road> | [UNIT {flats} 98 ]"),
        (6, "<road> | [BUILDING {houses} ]"),
        (5, "[POBOX {boxes} 98 88 88 ]"),
    ],
    "road": [(1, "[STREET <way> ] [NUMBER <house> ]")],
    "way": [(66, "<core> ~ {kinds}"), (20, "{adjectives} {avenues}"), (10, "{squares}"), (4, "{surnames} {avenues}")],
    "town": [
        (70, "[POSTCODE 88888 ] [CITY <place> ]"),
        (12, "[POSTCODE D-88888 ] [CITY <place> ]"),
        (10, "[CITY <place> ] [POSTCODE 88888 ]"),
        (8, "[CITY <place> ]"),
    ],
}

FRANCE: Grammar = {
    "address": [(94, "<where> | <area> | <town>"), (6, "<where> | <area> | <town> | [REGION {regions} ]")],
    "where": [(66, "<road>"), (14, "<inside> | <road>"), (14, "<road> | <inside>"), (6, "[POBOX {boxes} 9888 ]")],
    "road": [(80, "[NUMBER <number> ] [STREET <way> ]"), (20, "[NUMBER <number> ] , [STREET <way> ]")],
    "number": [(85, "<house>"), (15, "98 {repeats}")],
    "way": [(1, "{kinds} <core>")],
    "inside": [
        (25, "[BUILDING {houses} B ]"),
        (10, "[BUILDING {houses} {streets} ]"),
        (20, "[FLOOR 9e {storeys} ]"),
        (10, "[FLOOR RDC ]"),
        (35, "[UNIT {flats} 98 ]"),
    ],
    "town": [
        (72, "[POSTCODE 88888 ] [CITY <place> ]"),
        (5, "[POSTCODE 88888 ] [CITY <place> CEDEX ]"),
        (3, "[POSTCODE 88888 ] [CITY <place> Cedex 88 ]"),
        (4, "[POSTCODE 88888 ] [CITY <place> 18e ]"),
        (9, "[CITY <place> ] [POSTCODE 88888 ]"),
        (7, "[CITY <place> ]"),
    ],
}

NETHERLANDS: Grammar = {
    "address": [(92, "<where> | <area> | <town>"), (8, "<where> | <area> | <town> | [REGION {regions} ]")],
    "where": [(65, "<road>"), (15, "<road> [UNIT {flats} ]"), (15, "<road> [UNIT 9 ]"), (5, "[POBOX {boxes} 9888 ]")],
    "road": [(1, "[STREET <way> ] [NUMBER <house> ]")],
    "way": [(88, "<core> ~ {kinds}"), (8, "{squares}"), (4, "<core>")],
    "town": [
        (45, "[POSTCODE 9888 {letters} ~ {letters} ] [CITY <place> ]"),
        (28, "[POSTCODE 9888 ~ {letters} ~ {letters} ] [CITY <place> ]"),
        (12, "[POSTCODE 9888 ] [CITY <place> ]"),
        (8, "[CITY <place> ] [POSTCODE 9888 {letters} ~ {letters} ]"),
        (7, "[CITY <place> ]"),
    ],
}

SPAIN: Grammar = {
    "address": [(70, "<where> | <area> | <town>"), (30, "<where> | <area> | <town> | <province>")],
    "where": [(38, "<road>"), (56, "<road> | <inside>"), (6, "[POBOX {boxes} 988 ]")],
    "road": [(60, "[STREET <way> ] <number>"), (40, "[STREET <way> ] | <number>")],
    "way": [(92, "{kinds} <core>"), (8, "<core>")],
    "number": [(78, "[NUMBER <house> ]"), (14, "{signs} [NUMBER <house> ]"), (8, "[NUMBER s/n ]")],
    "inside": [
        (40, "[FLOOR 9º ] [UNIT {doors} ]"),
        (20, "[FLOOR 9 ] [UNIT 9 ]"),
        (15, "[FLOOR 9º ] [UNIT 9ª ]"),
        (10, "[FLOOR piso 9 ]"),
        (10, "[BUILDING {houses} 9 ] [FLOOR 9 ] [UNIT {doors} ]"),
        (5, "[FLOOR bajo ]"),
    ],
    "town": [
        (78, "[POSTCODE 88888 ] [CITY <place> ]"),
        (12, "[CITY <place> ] [POSTCODE 88888 ]"),
        (10, "[CITY <place> ]"),
    ],
    "province": [(70, "[REGION {regions} ]"), (30, "( [REGION {states} ] )")],
}

ITALY: Grammar = {
    "address": [(1, "<where> | <area> | <town> <province>")],
    "where": [(70, "<road>"), (30, "<road> | <inside>")],
    "road": [(1, "[STREET {kinds} <core> ] [NUMBER <number> ]")],
    "number": [(90, "<house>"), (10, "98/ ~ {doors}")],
    "inside": [
        (40, "[UNIT {flats} 98 ]"),
        (15, "[UNIT {flats} {doors} ]"),
        (25, "[FLOOR {floors} ]"),
        (20, "[BUILDING {houses} ]"),
    ],
    "town": [
        (85, "[POSTCODE 88888 ] [CITY <place> ]"),
        (7, "[CITY <place> ] [POSTCODE 88888 ]"),
        (8, "[CITY <place> ]"),
    ],
    "province": [(40, ""), (30, "[REGION {states} ]"), (20, "( [REGION {states} ] )"), (10, "[REGION {regions} ]")],
}

JAPAN: Grammar = {
    "address": [
        (30, "<inside> | <block> <area_name> | <ward> | <city> | <code>"),
        (30, "<inside> | <block> <area_name> | <ward> | <city> | <prefecture> <code>"),
        (25, "<code> | <prefecture> | <city> | <ward> | <area_name> <block> | <inside>"),
        (15, "<code> | <city> | <ward> | <area_name> <block> | <inside>"),
    ],
    "block": [(60, "[NUMBER 9-18-9 ]"), (40, "[NUMBER 18-9 ]")],
    "area_name": [(50, "[STREET {streets} ]"), (30, "[STREET <composed> ]"), (20, "[STREET {streets} 9-chome ]")],
    "ward": [
        (70, "[DISTRICT {districts} ~ -ku ]"),
        (15, "[DISTRICT {districts} ku ]"),
        (15, "[DISTRICT {districts} ]"),
    ],
    "city": [(60, "[CITY <place> ]"), (40, "[CITY <place> ~ -shi ]")],
    "prefecture": [(40, "[REGION {regions} ]"), (60, "[REGION {states} ]")],
    "code": [(90, "[POSTCODE 888-8888 ]"), (10, "[POSTCODE 〒888-8888 ]")],
    "inside": [
        (50, ""),
        (10, "[UNIT #988 ]"),
        (6, "[UNIT 988 ]"),
        (6, "[UNIT Room 98 ]"),
        (14, "[BUILDING {roses} {houses} ]"),
        (8, "[BUILDING {streets} {houses} ] [FLOOR 9F ]"),
        (6, "[BUILDING {roses} {houses} ] [UNIT 988 ]"),
    ],
}

BRAZIL: Grammar = {
    "address": [(80, "<where> | <quarter> | <town> | <code>"), (20, "<where> | <quarter> | <code> | <town>")],
    "where": [(60, "<road>"), (40, "<road> | <inside>")],
    "road": [(50, "[STREET {kinds} <core> ] <number>"), (50, "[STREET {kinds} <core> ] | <number>")],
    "number": [(45, "[NUMBER <house> ]"), (35, "[NUMBER 9888 ]"), (12, "{signs} [NUMBER 988 ]"), (8, "[NUMBER s/n ]")],
    "inside": [
        (45, "[UNIT {flats} 988 ]"),
        (15, "[UNIT 98 ]"),
        (15, "[FLOOR 9º andar ]"),
        (15, "[BUILDING {houses} A ]"),
        (10, "[BUILDING {houses} {cities} ]"),
    ],
    "quarter": [(45, ""), (47, "[DISTRICT {districts} ]"), (8, "[DISTRICT <composed> ]")],
    "town": [
        (30, "[CITY <place> ] {dashes} [REGION {states} ]"),
        (30, "[CITY <place> ] [REGION {states} ]"),
        (15, "[CITY <place> ] {dashes} [REGION {regions} ]"),
        (25, "[CITY <place> ]"),
    ],
    "code": [(50, "[POSTCODE 88888-888 ]"), (15, "[POSTCODE 88888888 ]"), (25, "CEP [POSTCODE 88888-888 ]"), (10, "")],
}
