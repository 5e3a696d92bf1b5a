"""Special categories of personal data: health, religion, union, orientation, politics, ethnicity, biometrics, children.

A word alone tells little ("union", "race", "cancer"): each pattern is a phrase in which it says something about a
person. English first, and the commonest phrases in German, French, Spanish and Portuguese. Read in a view without
accents, capitals ignored.
"""

import re
from collections.abc import Iterator

from apps.screening.findings import Finding
from apps.screening.patterns import joined
from apps.screening.reading import Reading

_CONDITION = joined(r"""
    (?:asthma|diabetes|epilepsy|(?:breast |lung |skin |prostate )?cancer|leuka?emia|lymphoma|depression|anxiety|
    adhd|autism|asperger'?s|bipolar|schizophrenia|ptsd|ocd|dementia|alzheimer'?s|parkinson'?s|multiple sclerosis|
    arthritis|hypertension|high blood pressure|migraines?|hiv|aids|hepatitis|tuberculosis|covid(?:-19)?|crohn'?s|
    colitis|c[oe]*liac|coeliac|endometriosis|anorexia|bulimia|(?:an? )?eating disorder|insomnia|
    (?:a )?heart (?:condition|disease|attack|failure)|(?:a )?stroke|gout|eczema|psoriasis|lupus|fibromyalgia|
    long covid|(?:a )?miscarriage|dyslexia|tourette'?s?|kidney (?:disease|failure)|(?:gastritis|(?:an? )?ulcers?)|
    sleep apn[o]?ea|(?:a )?concussion|(?:a )?disability|(?:a |an )?addiction|alcoholism|panic attacks?|
    lactose intolerance)
""")
_ALLERGEN = joined(r"""
    (?:pea)?nuts?|tree nuts?|penicillin|shellfish|gluten|lactose|dairy|milk|eggs?|soy|wheat|pollen|dust|cats?|
    dogs?|bees?|wasps?|stings?|latex|fish|seafood|sesame|strawberries|kiwi\w*|aspirin|ibuprofen|antibiotics|sulfa|
    fur|hair|dander|animals|most|almonds?|hazelnuts?|cashews?|prawns?|shrimps?|mustard|celery|nickel|grass|mou?ld|
    hay|\w+ (?:nuts?|fur|pollen)
""")
_FAITH = joined(r"""
    (?:catholic|protestant|muslim|jewish|hindu|buddhist|sikh|mormon|orthodox|lutheran|methodist|baptist|anglican|
    evangelical|atheist|agnostic|christian|pagan|quaker|jehovah's witness|(?:a )?jew)
""")
_WHO = joined(r"""
    (?:i|i'm|he|he's|she|she's|they|they're|we|we're|who|user|customer|client|patient|caller|[a-z]+ (?:mother|
    father|son|daughter|wife|husband|partner|brother|sister|mom|dad|mum))
""")
_IS = joined(r"""
    (?:am|is|are|was|were|'m|'s|'re|identif(?:y|ies) as|came out as|comes out as|raised|grew up|became|
    converted to)
""")
_CHILD = joined(r"""
    (?:son|daughter|child|kid|boy|girl|toddler|baby|grandson|granddaughter|grandchild|niece|nephew|stepson|
    stepdaughter|twins|little one|youngest|oldest|eldest|kids|children|daughters|sons|godson|goddaughter)
""")
_AGE = joined(r"""
    (?:1[0-7]|[0-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|
    sixteen|seventeen)
""")

_PATTERNS: tuple[tuple[str, str], ...] = (
    # Health
    ("health", rf"allergic (?:reactions? )?to (?:(?:all|some|raw|cooked|any|most) )?(?:{_ALLERGEN})"),
    ("health", joined(rf"""
        (?:{_ALLERGEN}|food|severe|bad|seasonal|drug) (?:allergy|allergies)|(?:has|have|had|my|his|
        her) (?:\w+ )?allerg(?:y|ies)
    """)),
    ("health", joined(rf"""
        (?:diagnosed with|diagnosis of|treated for|suffers? from|suffered from|suffering from|struggl\w+ with|
        recover\w+ from|tested positive for|living with|lives with) (?:\w+ ){{0,3}}?(?:{_CONDITION}|
        mental (?:health|illness))
    """)),
    ("health", joined(rf"""
        (?:has|have|had|having|got|developed|my|his|her|their|'ve|with) (?:(?:severe|mild|chronic|type [12]|
        stage \w+|clinical|postnatal|terminal|a|an|bad|really|the) ){{0,3}}{_CONDITION}(?! (?:research|charity|
        awareness|walk|foundation|campaign|fundraiser|center|centre|screening app|data))
    """)),
    ("health", joined(rf"""
        {_WHO}(?: {_IS}|) (?:\w+ ){{0,2}}?(?:diabetic|asthmatic|epileptic|autistic|coeliac|celiac|bipolar|
        schizophrenic|dyslexic|anorexic|bulimic|infertile|hiv[- ]positive|disabled|wheelchair[- ]bound|paraplegic|
        lactose intolerant|gluten intolerant|clinically depressed|suicidal|immunocompromised|pregnant|alcoholic)
    """)),
    ("health", joined(r"""
        (?:^|[.;,\n] ?)(?:is )?(?:diabetic|asthmatic|epileptic|autistic|coeliac|celiac|hiv[- ]positive|
        lactose intolerant|pregnant)(?=[.,;\n]|\Z)
    """)),
    ("health", joined(r"""
        (?:am|is|are|'m|'s|'re|been|got|getting|became|while|she|wife) (?:\w+ ){0,2}?pregnant|weeks pregnant|
        expecting (?:a|our|her|their|my) (?:first |second |third )?(?:baby|child)|in rehab
    """)),
    ("health", joined(r"""
        (?:takes?|taking|prescribed|on|started) (?:\w+ ){0,3}?(?:insulin|antidepressants?|metformin|ibuprofen daily|
        blood thinners|chemotherapy|chemo|dialysis|ritalin|adderall|prozac|sertraline|lithium|ssris?|beta blockers|
        statins|methadone)
    """)),
    ("health", joined(r"""
        (?:my|his|her|their|the user's) (?:therapist|psychiatrist|psychologist|oncologist|cardiologist|
        gyn[a]?ecologist|diagnosis|medication|prescription|blood type|blood pressure|insulin|surgery|operation|
        chemo\w*|disability|depression|illness)
    """)),
    ("health", joined(r"""
        (?:uses?|needs?|in) (?:a|an) (?:wheelchair|hearing aid|walking frame|insulin pump|pacemaker|prosthe\w+|
        cpap)|(?:had|having|needs?|underwent) (?:\w+ ){0,3}?(?:surgery|an operation|chemotherapy|radiotherapy|
        dialysis|a transplant|a hysterectomy|an abortion|ivf)
    """)),
    ("health", joined(r"""
        (?:is|am|'m|went|been|go|goes|going) (?:to |in )(?:\w+ )?(?:therapy|rehab|psychotherapy|
        couples counsel\w+)(?! session (?:app|room))|allergisch gegen|leide[nt]? (?:an|unter) (?!der|dem|den)\w+|
        (?:hat|habe) (?:\w+ )?(?:diabetes|asthma|krebs|epilepsie|depressionen|rheuma|bluthochdruck|\w*allergie)|
        (?:ist|bin) (?:\w+ )?(?:schwanger|diabetiker(?:in)?|schwerbehindert|depressiv|hiv-positiv|laktoseintolerant)
    """)),
    ("health", joined(r"""
        allergique (?:a|aux|au)|(?:souffre|atteinte?) d(?:e |'|u )\w+|(?:est|suis) (?:\w+ )?(?:enceinte|diabetique|
        asthmatique|epileptique|depressi(?:f|ve)|seropositi(?:f|ve)|handicapee?)|(?:j'ai|a) (?:un |le |
        du )(?:diabete|cancer|asthme)
    """)),
    ("health", joined(r"""
        alergic[oa] (?:a|ao|aos)|(?:padece|sufre|sofre|padezco|sufro|sofro) (?:de|del|da|do) \w+|(?:es|soy|esta|
        estoy|e|sou) (?:\w+ )?(?:diabetic[oa]|asmatic[oa]|epileptic[oa]|celiac[oa]|embarazada|autista|
        seropositiv[oa])|(?:esta|estou) gravida|gravida de|(?:tiene|tengo|tem|tenho) (?:diabetes|cancer|asma|
        epilepsia|depresion|depressao|alergia)|diagnosticad[oa] (?:de|con|com)
    """)),
    # Religion
    ("religion", joined(rf"""
        {_WHO}(?: {_IS}|) (?:(?:a|an|very|devout|practi[cs]ing|strict|raised|deeply|also|not|
        become) ){{0,3}}{_FAITH}(?! (?:tastes?|school|church|dior|market|food|music))
    """)),
    ("religion", joined(rf"""
        (?:devout|practi[cs]ing|lapsed|ex-|raised|non-practi[cs]ing) {_FAITH}|(?:my|our|his|her|their) (?:local |
        new )?(?:church|mosque|synagogue|parish)(?! street| road)|friends from (?:my |our )?(?:church|mosque|
        synagogue)|join(?:ed|ing)? (?:\w+ ){{0,2}}(?:church|mosque|synagogue|parish)(?! street| road)|
        converted to (?:islam|judaism|christianity|catholicism|buddhism|hinduism)|(?:my|his|her|their) (?:faith|
        religion|religious (?:beliefs?|community)|church community|rabbi|imam|parish|bar mitzvah|bat mitzvah|
        baptism)
    """)),
    ("religion", joined(r"""
        (?:go(?:es)?|went|going|attends?|attending|prays?|praying) (?:\w+ ){0,2}?(?:to|at|in) (?:(?:the|a|my|our|
        his|her|their|local) ){0,2}(?:church|mosque|synagogue|temple|mass)(?! street| road| hill| lane)|
        prays? (?:five times|every|daily|each)|(?:fasts?|fasting) (?:for|during) (?:ramadan|lent)|(?:keeps?|eats?|
        eating|keeping) (?:kosher|halal)|observes? (?:the )?(?:sabbath|shabbat|ramadan|lent)
    """)),
    ("religion", joined(r"""
        (?:ist|bin) (?:\w+ ){0,2}?(?:katholisch|evangelisch|muslim(?:in)?|moslem|judin?|judisch|buddhist(?:in)?|
        hindu|atheist(?:in)?|konfessionslos)|(?:est|suis) (?:\w+ ){0,2}?(?:catholique|musulmane?|juifs?|juive|
        protestante?|bouddhiste|athee|hindoue?)|(?:es|soy|e|sou) (?:\w+ ){0,2}?(?:catolic[oa]|musulman[a]?|
        muculman[oa]|judi[oa]|judeu|judia|protestante|evangelic[oa]|budista|ate[oa]|ateu|ateia|hindu)
    """)),
    # Union
    ("union", joined(r"""
        (?:trade |labou?r |workers' )?union (?:steward|member|membership|rep|representative|organi[sz]er|delegate|
        official|dues|card)|shop steward|(?:member|chair|secretary|treasurer) of (?:the |a |his |her |
        their )?(?:\w+ ){0,2}?(?:trade union|labou?r union|workers' union|teachers' union|nurses' union)|(?:joined|
        left|in|joining|belongs to) (?:the |a |my |her |his )?(?:\w+ )?(?:trade|labou?r|workers'|teachers'|nurses'|
        teamsters) union|works council member|unioni[sz]ed worker
    """)),
    ("union", joined(r"""
        gewerkschaftsmitglied\w*|gewerkschafter(?:in)?|mitglied (?:in|bei|der|einer) (?:der |
        einer )?(?:gewerkschaft|ig metall|ver\.?di)|vertrauensmann der gewerkschaft|betriebsratsmitglied|
        syndicaliste|syndiquee?|delegue\w* syndical\w*|(?:membre|adherente?) (?:du|d'un) syndicat|sindicalist[ae]s?|
        sindicalizad[oa]|(?:afiliad[oa]|miembro|membro|delegad[oa]|filiad[oa]) (?:al?|del|do|de un|de um|a un|
        ao) sindicato|(?:delegad[oa]|dirigente) sindical
    """)),
    # Orientation and gender identity
    ("orientation", joined(rf"""
        {_WHO} {_IS} (?:(?:a|an|openly|also|proudly|out as|actually) ){{0,2}}(?:gay|lesbian|bisexual|pansexual|
        asexual|queer|heterosexual|homosexual|transgender|trans|non-?binary|genderqueer|intersex|genderfluid)
    """)),
    ("orientation", joined(r"""
        (?:trans|transgender|gay|lesbian|bisexual|queer|non-?binary) (?:woman|man|person|guy|girl|boy|teen|teens|
        youth|couple|mum|mom|dad|parent|son|daughter|kid)|(?:came|come|coming) out (?:as|to (?:my|his|her|their))|
        (?:my|his|her|their) (?:sexual orientation|gender identity|sexuality|transition(?:ing)?|trans experience|
        deadname|coming[- ]out|same-sex \w+)|(?:lgbtq?\w*\+?) (?:support group|person|teen|youth group|counsel\w+|
        individual|activist group)|(?:part|member) of the lgbt\w*\+?
    """)),
    ("orientation", joined(r"""
        (?:ist|bin) (?:\w+ )?(?:schwul|lesbisch|bisexuell|homosexuell|transsexuell|trans|nichtbinar)|(?:est|
        suis) (?:\w+ )?(?:gay|lesbienne|bisexuelle?|homosexuelle?|trans|transgenre)|(?:es|soy|e|
        sou) (?:\w+ )?(?:gay|lesbiana|lesbica|bisexual|homosexual|transexual|transgener[oa]|trans)
    """)),
    # Politics
    ("politics", joined(r"""
        vot(?:es?|ed|ing) (?:for (?:the )?)?(?:republican|democrat\w*|labour|conservatives?|tory|tories|greens|
        green party|lib dems?|trump|biden|harris|spd|cdu|csu|afd|fdp|grune|die linke|bjp|congress|libertarian)|
        (?:member|supporter|activist|volunteer|candidate) (?:of|for|in) (?:the )?(?:\w+ ){0,2}?(?:party|spd|cdu|csu|
        afd|democrats|republicans|labour|conservatives|greens|tories|campaign of)(?! (?:planning|committee for))|
        (?:political (?:views?|beliefs?|opinions?|affiliation))|(?:registered|lifelong|staunch) (?:republican|
        democrat|conservative|liberal|socialist|communist|libertarian|independent)
    """)),
    ("politics", joined(rf"""
        {_WHO} {_IS} (?:a |an )(?:republican|democrat|conservative|liberal|socialist|communist|marxist|anarchist|
        libertarian|tory|social democrat)(?= ?[.,;!?\n]|\Z| (?:and|but|by conviction|voter|supporter))
    """)),
    ("politics", joined(r"""
        (?:wahlt|wahle|parteimitglied|mitglied (?:der|bei der|in der)) (?:die |der )?(?:spd|cdu|csu|afd|fdp|grunen|
        linken?|partei)|(?:votee?|milite|militante?|membre|adherente?) (?:pour|du|au|a|de la) (?:le |la |
        l')?(?:parti|gauche|droite|front national|rassemblement national|rn|ps)|(?:vota|voto|votou|milita|
        afiliad[oa]|militante|filiad[oa]) (?:al?|por|en|no|pelo|do|del|ao) (?:el |o )?(?:psoe|pp|vox|podemos|pt|psd|
        ps|partido)
    """)),
    # Ethnicity
    ("ethnicity", joined(rf"""
        {_WHO} {_IS} (?:(?:a|an|half|part|of) ){{0,2}}(?:black|latin[oax]|hispanic|caucasian|african[- ]american|
        asian[- ]american|mixed[- ]race|biracial|romani|roma|indigenous|aboriginal|maori|native american|kurdish|
        arab|cherokee|navajo)(?= ?[.,;!?\n]|\Z| (?:woman|man|person|and|by))
    """)),
    ("ethnicity", joined(r"""
        (?:my|his|her|their|the user's) (?:ethnicity|ethnic (?:background|origin|group)|racial (?:background|
        identity)|skin colou?r|race)(?! (?:track|car|day|time|condition|results?|bib|number))|of (?:african|asian|
        jewish|arab|roma|romani|kurdish|latino|hispanic|indigenous|mixed) (?:descent|heritage|origin|ancestry|
        ethnicity)
    """)),
    ("ethnicity", joined(r"""
        ethnische (?:herkunft|zugehorigkeit)|hautfarbe (?:ist|des|der)|origine ethnique|origen etnico|origem etnica|
        (?:est|suis) d'origine (?:africaine|arabe|maghrebine|juive|rom|asiatique)|(?:es|soy|e|sou) (?:gitan[oa]|
        indigena|mestiz[oa]|mulat[oa]|negr[oa])(?= ?[.,;!?\n]|\Z)
    """)),
    # Biometrics and genes
    ("biometrics", joined(r"""
        (?:my|his|her|their|user's|customer's|employee's|stored|enrolled|scanned|uses? (?:a|the)) (?:fingerprints?|
        iris scan|retina scan|face ?print|voice ?print|palm print|facial recognition (?:template|data)|
        biometric (?:data|template|id)|dna (?:test|profile|results?|sample)|genetic (?:test|profile|data))|
        (?:enrolled|registered) (?:his|her|their|a) (?:face|fingerprint|iris)|brca[12]
    """)),
    ("biometrics", joined(r"""
        (?:mein|sein|ihr)e?n? (?:fingerabdruck|iris-?scan|dna-?profil|gentest)|biometrische(?:n|s)? (?:daten|
        merkmal)|(?:mes|ses|mon|son) (?:empreintes? digitales?|adn)|donnees biometriques|(?:mi|su|minha|
        sua) (?:huella dactilar|huella digital|impressao digital|adn)|d(?:atos|ados) biometricos
    """)),
    # Children
    ("children", joined(rf"""
        (?:my|our|his|her|their|the|user's|customer's|a|an|has|have|two|three|old) (?:\w+ )?{_CHILD}(?! (?:company|
        firm|brand|site|process|node))(?:,? \w+,?| \w+,| named \w+| called \w+)? ?(?:is|are|'s|turns?|turned|
        just turned|will be|,|\(|aged?)(?: (?:now|only|just|almost|about|aged?|turning|already|
        nearly))? ?{_AGE}(?! ?(?:hours?|minutes?|weeks? (?:away|late)|days? (?:away|late)|pm|am|o'clock|%|kg|feet|
        cm|inches|pounds|miles|km|friends|times|[:.]\d))(?!\w)
    """)),
    ("children", joined(rf"""
        {_AGE}[- ](?:years?|months?)[- ]old (?:\w+ )?{_CHILD}|{_CHILD} (?:of|aged?) {_AGE}(?!\w)|(?:my|our|his|her|
        their|user's) (?:\w+ )?{_CHILD}(?:'s| \w+'s)? (?:birth ?date|date of birth|school (?:is|report)|
        kindergarten teacher|p[a]?ediatrician|goes to (?:\w+ ){{0,2}}?(?:school|kindergarten|nursery|day-?care))|
        (?:is|in) (?:the )?(?:1st|2nd|3rd|[4-9]th|first|second|third|fourth|fifth|sixth|seventh|
        eighth) grade(?! (?:teacher|reading|math))
    """)),
    ("children", joined(r"""
        (?:meine?|unsere?|ihre?|seine?) (?:\w+ )?(?:tochter|sohn|kind|enkel(?:in)?|kinder)(?: \w+)? (?:ist|wird|
        sind) (?:jetzt |schon |gerade |erst |\w+ und )?(?:1[0-7]|[0-9]|ein|zwei|drei|vier|funf|sechs|sieben|acht|
        neun|zehn|elf|zwolf)(?! ?(?:uhr|kg|cm|%))(?!\w)|(?:1[0-7]|[0-9])-?jahrige[nrs]? (?:tochter|sohn|kind|
        enkel\w*)
    """)),
    ("children", joined(r"""
        (?:ma|mon|notre|sa|son) (?:\w+ )?(?:fille|fils|enfant|bebe)(?: \w+)? a (?:1[0-7]|[0-9]|un|deux|trois|quatre|
        cinq|six|sept|huit|neuf|dix|onze|douze) (?:ans|mois)|(?:mi|nuestr[oa]|su) (?:\w+ )?(?:hij[oa]|nin[oa]|bebe|
        niet[oa])(?: \w+)? tiene (?:1[0-7]|[0-9]|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez) (?:anos|meses)|
        (?:minha|meu|noss[oa]|sua|seu) (?:\w+ )?(?:filh[oa]|crianca|bebe|net[oa])(?: \w+)? tem (?:1[0-7]|[0-9]|dois|
        duas|tres|quatro|cinco|seis|sete|oito|nove|dez) (?:anos|meses)
    """)),
)  # fmt: skip
_COMPILED = tuple((name, re.compile(rf"(?<![\w-])(?:{pattern})(?!\w)")) for name, pattern in _PATTERNS)


def find(reading: Reading) -> Iterator[Finding]:
    """Findings of kind special; the detector is the category."""
    for name, pattern in _COMPILED:
        for match in pattern.finditer(reading.lower):
            start, end = reading.span(*match.span())
            if start < end:
                yield Finding("special", name, start, end, 0.7)
