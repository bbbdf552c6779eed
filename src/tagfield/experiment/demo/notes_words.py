"""Word lists for short business texts.

Many words are entities in one text and plain words in the next: Breeze is a fan and a breeze is weather, May is a
month and may is a verb, a driver drives a van or belongs to a printer. Within a list, earlier words are more frequent,
and every fourth word is held out from training.
"""

from tagfield.experiment.demo.grammar import Lists, word_list

WORDS: Lists = {
    # words of entities
    "lines": word_list(
        "Breeze Atlas Orion Pilot Echo Lisbon Nova Summit Lantern Harbour Delta Falcon Comet Vienna Mint "
        "Ranger Spark Tempo Anchor Sierra Dawn Porto Vista Badger Ember Orange Quartz Courier May Rapid Oslo "
        "Signal Cobalt Host Zephyr Meridian Florence Kite Silver Partner Nice Jordan"
    ),
    "models": word_list("Pro Mini XL 2 Plus 300 Air Max S4 II 500 Lite X1 3000 Duo 7"),
    "roles": word_list(
        "manager driver courier technician supervisor agent accountant assistant cashier buyer clerk "
        "director consultant host planner engineer receptionist trainer auditor caretaker partner operator "
        "secretary dispatcher guide editor pilot"
    ),
    "fields": word_list(
        "store warehouse sales delivery account service night regional shift field support office project "
        "site floor team purchase area security marketing export payroll"
    ),
    "places": word_list(
        "Berlin Lisbon London Paris Vienna Porto Leeds Madrid Oslo Boston Dublin Lyon Utrecht Bergen Reading "
        "Salem Nice Bath Osaka Austin Turin Ghent Cork Hull Sierra_Vista New_York San_Jose Den_Haag Delta "
        "Mobile Summit Bremen Phoenix Split Orange Cologne Derby Florence Jordan"
    ),
    "months": word_list(
        "May March June January April October July December August February November Sept Jan Mar Oct Dec"
    ),
    "days": word_list("Monday Friday Tuesday Thursday Wednesday Saturday Sunday weekend"),
    "currencies": word_list("euros EUR dollars USD pounds GBP yen"),
    "files": word_list("order ticket invoice parcel return case contract shipment claim payment booking complaint"),
    # plain words
    "sights": word_list("page room line version seat box shelf gate floor size step bus table item platform locker"),
    "kinds": word_list(
        "lamp printer desk fan router chair kettle headset monitor keyboard scanner jacket bag bike tent "
        "mixer charger drill speaker backpack heater camera toaster projector tablet vacuum blender"
    ),
    "looks": word_list(
        "new orange small mint old silver rapid heavy mobile broken black amber spare cobalt white second "
        "nice blue second-hand cheap bright coral"
    ),
    "items": word_list(
        "order invoice parcel refund delivery payment box ticket report contract form account package offer "
        "receipt manual label quote return shipment password list update copy meeting call signal pilot "
        "anchor counter summit breeze comet mobile echo break market course mint"
    ),
    "states": word_list(
        "late missing broken open wrong ready fine damaged unclear closed incomplete correct pending lost "
        "delayed empty heavy noisy orange nice mobile rapid cold regional"
    ),
    "deeds": word_list(
        "check send confirm cancel return replace update close forward change repair review print pay split "
        "march book extend sign ship refund approve guide partner"
    ),
    "past": word_list(
        "sent checked received cancelled returned replaced changed forgotten approved shipped opened lost "
        "repaired signed refunded promised ordered booked"
    ),
    "people": word_list("we they I you customers everyone somebody nobody he she"),
    "first_names": word_list(
        "Anna Austin Paris Tom Jordan Florence Maria May Chester Victoria Lincoln Salem Sofia Ben"
    ),
    "others": word_list(
        "customer colleague team supplier bank company neighbour school landlord visitor shop lawyer child "
        "reader printer family sender boss website department"
    ),
    "venues": word_list("warehouse office depot branch store showroom hub plant terminal workshop reception counter"),
    "adverbs": word_list("again today soon now still already really twice yesterday tomorrow maybe finally once later"),
    "spans": word_list("days weeks hours minutes morning months afternoon years evening summer"),
    "percent": word_list("% percent pieces metres kg points copies"),
    "much": word_list("nothing twenty a_lot too_much half hundreds"),
    "reasons": word_list("because since as while although when after before if"),
    "greetings": word_list("Hello Hi Dear_team Good_morning Hi_all Thanks Hello_again Dear_all"),
    "closings": word_list("thanks regards best_regards thank_you many_thanks please_advise all_the_best sorry"),
    "software": word_list("printer graphics audio scanner video network"),
    "gear": word_list("password window file task package device"),
    # parts of names: of towns and surnames, of products and companies
    "stems": word_list(
        "Ash Brook Hart Kirk Lang Mar Nor Oak Stan Thorn Wal West Wing Bram Clay Ding Eld Fair Gren Hal Hol "
        "Kel Ling Mill Raven Rud Shel Stock Tor Under Wey Winter Ald Barn Birk Cal Cray Darl Ed Farn Gos Had "
        "Hasel Ked Lam Lev Mel New Ot Pem Red Rom Sand Sel Staf Swin Tam Tat Whit Wood Yar"
    ),
    "towns": word_list("ton ford ham bury field burg dale wick stead ley by port haven mouth ville worth"),
    "family": word_list("son man er well wood ley ford ton ings ard kin ram"),
    "family_names": word_list("Meyer Rossi Novak Silva Jansen Dubois Weber Garcia Kowalski Santos Larsen Moreau"),
    "titles": word_list("Mr Mrs Ms Dr Mr. Mrs. Miss Prof."),
    "coined": word_list(
        "Lum Zen Vor Kal Nex Tri Sol Ven Aero Opti Hydro Pix Quan Ter Mag Vel Cor Fen Gal Hex In Jul Kin Lex "
        "Mon Nav Or Pro Qui Rad Sen Tal Uni Var Wel Xan Yor Zeph Ag Bel Cin Dor El Flex Gly Hel"
    ),
    "brands": word_list("ora ix ium on ex a is eo ino ara us elle ova ax yx ique"),
    "firms": word_list("tec soft corp net lab trans plan log"),
    "legal": word_list("Ltd Inc GmbH & Co Group AG BV Partners"),
    "capitals": word_list("VAT PDF HR IT QA DHL USB PO FAQ CEO"),
}
