"""Pieces of English that several patterns share."""

from apps.extraction.languages import joined

LEAD = joined(r"""
    ^(?:(?:as of|starting|effective|since|from|after|in|on|last|next|this|until|ab|seit|im|desde|a partir d\w+|em|
    en|depuis|à partir d\w+) (?-i:[^,.;!?]{2,28}?)(?:,| (?=our|we|i|unser|nuestr|noss|notre))\s*|(?:from now on|
    going forward|in (?:the )?future|by default|these days|currently|nowadays|at work|personally|for me|as a rule|
    in general|generally|normally|usually|ab (?:jetzt|sofort)|künftig|de ahora en adelante|a partir de ahora|
    a partir de agora|désormais|dorénavant),?\s+)?
""")

SELF = joined(r"""
    I(?:'m| am|'ve| have|'d| would|'ll| will)?(?: (?:really|also|now|just|only|always|never|usually|mostly|still|
    recently|currently|no longer|both|much|strongly|generally|normally|personally|already|both|finally|don't|do not|
    can't|cannot|been))*[ ]
""")

SELF_PLAIN = joined(r"""
    I(?: (?:really|also|now|just|only|always|still|much|strongly|generally|personally|don't|do not))*[ ]
""")

DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun|week)days?|week-?ends?"

HOURS = joined(rf"""
    (?:only|always|after|before|between|on (?:{DAYS})|in the (?:morning|afternoon|evening)s?|(?:early|
    late) (?:morning|afternoon|evening)s?|outside|during|from \d|at \d|past|later than|earlier than|any ?more|
    instead|rather)
""")

CONTACT_NOUN = joined(r"""
    (?:e-?mail(?:s|ed)?|text(?:s|ed| messages?)?|sms|phone(?:d| calls?)?|call(?:s|ed)?|whatsapp|telegram|signal|
    slack|chat|letters?|post|written|writing|video calls?|voice ?mails?|messages?|push)
""")

LANGUAGE = joined(r"""
    (?:english|german|portuguese|spanish|french|italian|dutch|polish|japanese|arabic|turkish|ukrainian|mandarin|
    chinese|hindi|swedish|danish|catalan|farsi)
""")

MINE = joined(r"""
    (?:(?:new|current|preferred|usual|main|home|work|private|billing|delivery|shipping|postal|mobile|cell|full|
    first|last|real|favou?rite|native|first|mother|regular|default|primary|personal|emergency|old|
    other)[ -])*(?:name|surname|nickname|pronouns|e-?mail(?: address)?|address|phone(?: number)?|number|mobile|cell|
    postcode|zip(?: code)?|city|town|country|birthday|date of birth|time ?zone|shoe size|size|height|weight|inseam|
    chest|waist|head circumference|job|employer|company|team|role|title|language|tongue|gp|doctor|dentist|
    insurance(?: company| number)?|insurer|blood type|budget|laptop|os|editor|shell|bike|tent|
    member(?:ship)? number|customer number|colou?r|brand|currency|contact|working hours|office|desk|keyboard layout|
    diet|pharmacy|allergies|hobby|sport)
""")

HOUSEHOLD = joined(r"""
    (?:house|flat|home|apartment|garden|family|wedding|honeymoon|dog|cat|car|van|kitchen|balcony|marriage|holidays?|
    vacation|trip|hike|tent|order|parcel|package|booking|flight|luggage|basket|cart|son\w*|daughter\w*|kid\w*|
    child\w*|baby|landlord|neighbou?rs?|appointment|friends?|parents|street|village|room|train|money|turn|fault|
    pleasure|conversation|chat|call)
""")

STATE = joined(r"""
    (?:down|broken|late|delayed|failing|red|green|stuck|slow|missing|lost|wet|ripped|torn|offline|here|gone|ready|
    waiting|not working|acting up|a (?:mess|joke|nightmare|bit|disaster|pain)|great|nice|lovely|awful|terrible|
    amazing|so|too|very|really|flaky today|on fire|crashing|hanging|throwing|complaining|wrong|weird)
""")

SAYS = joined(r"""
    (?:is|are|has|have|must|needs?|should|takes?|costs?|lasts?|ends?|starts?|begins?|opens?|closes?|runs?|uses?|
    requires?|lives?|allows?|covers?|applies|apply|ships?|accepts?|can|can't|cannot|may|will|expires?|includes?|
    excludes?|only|no longer|never|always|now|moved|changed|goes|go|supports?|stays?|stores?|comes?|gets?|belongs?|
    deploys?|means|stops?|changes|happens|sends?|blocks|serves|don't|doesn't|does not|do not|charges?)
""")

FIRM = joined(r"""
    (?:.*\b(?:\d+\w*|must|needs?|only|within|before|after|by|every|free|never|always|without|until|no longer|
    required|two|three|four|five|six|ten|twelve|fourteen|thirty|monday|tuesday|wednesday|thursday|friday|saturday|
    sunday)\b)
""")

POLICY_NOUN = joined(r"""
    (?:(?:new )?patients(?: under \d+)?|customers|members|visitors|tests|orders|parking|refunds?|returns?|
    exchanges?|shipping|express shipping|delivery|deliveries|gift cards?|store credit|repairs?|warrant(?:y|ies)|
    walk-ins?|cancellations?|prescriptions?|repeat prescriptions?|referrals?|vaccinations?|blood tests?|lab results|
    no-shows?|releases?|deploys?|deployments?|migrations?|backups?|hotfix(?:es)?|pull requests?|PRs?|code reviews?|
    feature flags?|integration tests?|logs|secrets|incidents?|postmortems?|rollbacks?|on-call|pre-?orders?|rentals?|
    deposits?|sale items?|opening hours)
""")

ORG = joined(r"""
    (?:shop|store|warehouse|showroom|workshop|vaccination room|waiting room|entrance|car park|clinic|practice|
    surgery|office|front desk|reception|pharmacy|lab|company|team|staging cluster|staging|production|prod|pipeline|
    repo|monorepo|main branch|service|api|build|ci|release train|release freeze|code freeze|on-call (?:rota|
    rotation)|deploy (?:window|freeze)|switchboard|call ?centre|call ?center|hotline|price match|loyalty programme|
    loyalty program|stand-?up)
""")
