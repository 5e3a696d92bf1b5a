"""English frames for what people live with: their past, their home, what is theirs, what suits them, what they promise.

As in ``english_self``, a frame takes whatever it is told; the narrow patterns of ``english`` come first.
"""

from apps.extraction import english_words as w
from apps.extraction.english_self import NOT_NOW
from apps.extraction.languages import joined

# "I grew up near Cork", "I tore my hamstring in January", "I've switched to tea".
LIFE = joined(rf"""
    {w.LEAD}(?:I(?:'ve| have)? (?:{w.ADVERB} ){{0,4}}(?:moved (?!on\b|it|the|my|this|that|
    to the (?:team|free|pro|basic|\w+ plan))|relocated|left (?-i:[A-Z])[\w']+|
    moved my (?:practice|office|business|shop|studio|account|salon|workshop)|emigrated|immigrated|grew up|
    was (?:(?:born|raised|brought up) (?:in|on|near|at|with|without|to) (?:(?-i:[A-Z])[\w'-]*|the|\d+|an? (?!git\b)\w+)|
    (?:diagnosed|adopted|widowed|vaccinated|promoted|laid off|made redundant|elected|baptised))|
    been (?:\w+ing (?!on hold|here).*\bsince (?:20\d\d|{w.MONTHS}|last|the)|diagnosed|vegan|vegetarian|sober|
    married|divorced|retired|clean|living|teaching|learning|promoted|self-employed|with (?-i:[A-Z])[\w'-]*|
    an? \w+.* (?:since|for)|off \w+ since)|got (?:married|divorced|engaged|promoted|
    an? (?:\w+ )?(?:dog|cat|puppy|kitten|job|baby|promotion|degree|diploma|allotment))|
    became (?!aware|worried|concerned|clear)|turned (?:\d\d|vegan|vegetarian)|
    gone (?:vegan|vegetarian|freelance|part-time)|went (?:vegan|vegetarian|freelance|part-time|blind|deaf)|gave up|
    given up|stopped (?!by|at|the|it|receiving|getting)|quit|retired|graduated|qualified|trained as|majored in|
    studied \w+(?: \w+)? (?:at|in)|enrolled|signed up (?:for|to)|subscribed|unsubscribed|opted out|adopted|
    took over|inherited|(?:deleted|closed|cancelled|shut|gave back) my (?:\w+ )?(?:account|mailbox|profile|card|
    membership|subscription|licence|\w+)|sold (?:my|our|the) (?:house|flat|car|bike|van|boat|business|company|shop|
    firm|motorbike)|bought (?:an?|my|our|the) (?!(?:same|ticket|wrong|\w+ ticket|coffee|tent|bag|
    pair)\b).*(?:in (?:spring|summer|autumn|winter|{w.MONTHS})|(?:last|this) (?:year|spring|summer|autumn|winter|
    month)|years? ago|in 20\d\d|only)|joined (?!(?:in|the (?:call|queue|chat|meeting|waiting|wifi))\b)|
    started (?:working|a new job|at|as|my own|a (?:business|degree|course|diet|job|company)|
    (?:learning|eating|taking|teaching|studying))|switched (?:to|from|over|jobs|schools|careers)|
    changed (?:jobs|my name|schools|careers|employers?)|had (?:my|an?) (?:\w+ ){{0,2}}(?:surgery|operation|stroke|
    heart attack|bypass|transplant|baby|stent|pacemaker|implant|hip|knee|replacement|hysterectomy|miscarriage|
    seizure|concussion|burnout|removed|replaced)|(?:broke|tore|sprained|injured|fractured|dislocated|hurt|lost|
    damaged) my (?:{w.ADVERB} )?(?:left |right |lower |upper |driving |driver's )*(?:arm|leg|ankle|wrist|back|knee|
    shoulder|hip|foot|hand|neck|hamstring|achilles|ligament|meniscus|collarbone|rib|hearing|sight|sense|licen[cs]e|
    job|voice|thumb|finger|toe|elbow|tendon)|never (?:went to|learned|learnt|finished|
    had (?:an?|any|the|chickenpox|measles|covid)|got (?:my|a)|owned|learned to|smoked|drank|touched|married)|
    retrained|converted to)\b|I(?: {w.ADVERB}){{0,4}} (?:don't|do not) .*\bany ?more$|
    I(?:'ve not| haven't| have not) \w+ .*(?:\b(?:in|for) (?:\w+ ){{1,2}}years\b|\bsince \d{{4}}).*$|
    (?!I(?:'ve| have)? (?:just|got an? error|paid|ordered|had the)\b)I(?:'ve)? (?:{w.PAST}|\w+ed) (?!it|this|that|
    you|so\b).*,? (?:which is why|that's why|that is why|this is why|hence|ever since|since then)\b|
    (?!(?:we|our)\b)(?:(?:you|they|the|my|last|your|an?|some\w*) )(?:[\w'-]+ ){{0,4}}?(?<!is )(?<!are )(?:{w.PAST}|
    \w+ed)\b(?=.*\b(?:me|my|i)\b).*, (?:which is why|that's why|this is why|hence)\b)
""")

# What may follow "my … is": a name, a number, a kind, a place or a lasting quality; "my train is late" has none.
_LASTING = joined(rf"""
    (?:an?|the|one of|my|our|in|on|at|from|with|by|near|next|behind|opposite|below|above|between|called|named|spelt|
    spelled|\d\S*|[#€$£]\S+|(?-i:[A-Z])[\w'-]*\S*|i[A-Z]\w+|\S+@\S+|half|two|three|four|five|six|seven|eight|nine|ten|
    twelve|\w+ed (?:on|in|at|by|every|with|to|for)|no longer|not|always|never|only|just|
    too (?:small|big|narrow|low|high|weak)|very (?:small|sensitive|dry|low|high|old|bad|poor|weak|limited|narrow)|
    tiny|small|large|big|narrow|wide|steep|old|ancient|electric|hybrid|diesel|automatic|manual|vegan|vegetarian|
    gluten-free|deaf|blind|low|high|short|long|bad|poor|weak|basic|fluent|limited|strict|sensitive|dry|oily|flat|
    artificial|wooden|leather|rented|listed|shared|private|confidential|curly|grey|blond\w*|red|brown|black|white|
    blue|green|yellow|pink|purple|male|female|single|married|allergic|retired|pregnant|due|pescatarian|{w.DAYS}|
    {w.MONTHS}|they|she|he|\w+/\w+)
""")

# "My home airport is Bristol", "my bins are collected on Tuesdays", "all my bulbs are Hue".
MY = joined(rf"""
    {w.LEAD}{NOT_NOW}(?:(?:all|most|both|one|two|three|some|half)(?: of)? )?my (?!(?:\w+ )?(?:bank|gym|airline|
    provider|council|insurer|school|employer) (?!is\b|are\b|has\b|car\b|phone\b)|dream\b|
    life's\b)(?!(?:(?!(?:is|are)\b)[\w'-]+ ){{0,2}}?(?:{w.PERSON}|
    {w.PASSING})(?:'s)?\b)(?:(?!(?:and|but|because|when|that|which|who|is|
    are)\b)[\w'/.&-]+ ){{0,5}}?(?:[\w/.&-]+)(?: for [\w ]{{2,30}}|
    [ ](?:at|in|on) [\w ]{{2,30}})?(?:'s(?= (?:an?|the|in|on|at|\d+|(?-i:[A-Z])\w*)\b)|
    (?: (?:also|now|always|only|usually|currently|still))* (?:(?:is|
    are)(?=(?: (?:{w.ADVERB}|usually|currently))* {_LASTING}(?:\W|$))(?! (?:the (?:\w+ ){{1,2}}one|
    (?:in|on) (?:the other|my (?:other )?(?:bag|hand|pocket|car|lap)))\b)|isn't|aren't|has|have|must|should|can't|
    cannot|loves?|changed|has changed(?: to)?|doesn't|don't|only|never|swells?|hurts?|consists of|{w.VERB}(?:e?s)?)|
    [ ]=)(?: {w.ADVERB}){{0,4}} (?!(?:{w.STATE}|(?<=keep )\w+ing|(?<=keeps )\w+ing|one bar|numb|sore|swollen|
    bleeding|itchy|runny|stiff|asleep|been|\w+in'|not|wrong|missing|empty|dead|stuck|killing|what|when|where|how|
    why|if|that|(?<!belong )to)\b)\S.*$|{w.LEAD}my favou?rite (?!(?:one|part|thing)\b)(?:[\w-]+ ){{1,4}}(?:is|
    are) (?!{w.POINTING}|when|how)\S.*$|{w.LEAD}my (?:\w+ ){{0,2}}(?:boss|manager|supervisor|doctor|gp|dentist|
    therapist|physio\w*|lawyer|solicitor|accountant|landlord|landlady|agent|contact|emergency contact|next of kin|
    assistant|deputy|backup|buddy|mentor|advisor|coach|tutor|professor|midwife|vet|partner|wife|husband|carer|
    guardian|proxy|stand-in|replacement|coordinator|representative|account manager|case worker|instructor|trainer|
    pharmacist) (?:is|'s|are|is called) (?:now |called |my[ ]\w+ |the |our |an? |at )?(?:Dr |Mr |Mrs |Ms |
    Prof )?\.?[ ]?(?-i:[A-ZÀ-Ý])[\w'-]+.*$
""")

# "Finnish is my mother tongue", "evenings suit me best", "boats make me sick", "peanuts could kill me".
TO_ME = joined(r"""
    ^(?!(?:i|i'm|i've|my|here|there|now|it|this|that|he|she|they|what|which|who|you|these|those|nothing|something|
    everything(?! (?:after|before|with|above|over|below|under))|life|music|art|nature|family|therapy|friends?|
    the (?:fact|thought|idea|update|error|page|site|app|new|last|first|bill|second))\b)(?:(?!(?:and|but|because|
    that|which|who|said|says)\b)[\w'/&,.-]+ ){1,8}?(?:(?:is|are) (?:my|
    mine)(?: (?:favou?rite|mother tongue|native|first|second|main|only|own|go-to|limit|thing|passion|hobby|comfort|
    default|usual|weak|strong|least|home|day off|middle|maiden|real|full|nick\w*|safe|number|absolute|preferred|
    blood|budget|birthday|anniversary|last|emergency|doctor|dentist|team|club|deadline|kind|size|territory|job|
    responsibility|turf))?\b|(?:isn't|aren't|is not|are not) (?:mine|for me|
    my (?:thing|cup|style|name|number|address|job|size))\b|(?:is|are) (?:not |never |off limits |
    out of the question |too \w+ |bad |best |better |fine |okay |ok |perfect |ideal |enough |impossible |difficult |
    easier |easiest |hard |a must |essential |no good |new |no option |plenty |good |a no |a no-go |no-gos |
    not an option |not my thing |a problem |a challenge |trouble |torture |hell )+for me\b|
    (?:is|are) (?:a must|off limits|out of the question|no option) for me|
    (?:doesn't|don't|does not|do not|never|won't) (?:work|agree|suit|sit well|
    go down well)(?: well)?(?: for| with)? me\b|(?:works?|suits?|fits?|is fine|
    are fine)(?: best| better| well| fine| much better| far better)?(?: for)? me(?: (?:best|better|well|fine|more|
    most|far better))?\b(?!$)|(?:works?|suits?|fits?)(?: best| better| much better| far better)(?: for)? me|
    suits? me|(?:always |usually |often )?(?:makes?|leaves?|keeps?|gives?|sends?|brings?|
    gets?) me (?:(?:terrible|bad|awful|severe|horrible|really|very|quite|so) )*(?:sick|ill|nauseous|dizzy|sleepy|
    drowsy|tired|anxious|nervous|jittery|awake|panic|bloated|itchy|wheeze|sneeze|cough|faint|queasy|headaches?|
    migraines?|hives|heartburn|nightmares|palpitations|cramps|vertigo|the creeps|to sleep|out in|up in|
    a (?:rash|headache|migraine|panic[ ]attack|stomach)|panic attacks|asthma|travel ?sick|car ?sick|sea ?sick)|
    (?:could|would|can|might|will) (?:kill|hospitalise|blind) me|puts? me (?:in (?:the )?(?:hospital|intensive care|
    bed)|to sleep|off)\b|(?:is|are) what (?:i|we) \w+|reach(?:es)? me (?:best|fastest|first)|
    sends? me to (?:hospital|sleep|a&e|the er)|(?:is|are) the (?:one|only) [\w ]{2,30} (?:i|i'm|i've)\b|
    (?:is|are|isn't|aren't) (?:no longer |not )?(?:mine|ours)(?: any ?more)?\b|
    (?:bores?|scares?|terrif(?:y|ies)|exhausts?|stress(?:es)?|bothers?|overwhelms?|confuses?|irritates?|relaxes|
    calms?|annoys?|distracts?|frightens?|disgusts?) me\b|and I (?:don't|do not|never) (?:get along|get on|agree|mix|
    match|go together|see eye)|(?:upsets?|wrecks?|hurts?|triggers?|irritates?|kills?|ruins?|inflames?|worsens?|
    sets? off) my (?:stomach|skin|asthma|migraines?|back|knees?|eyes|joints|eczema|hay fever|wrists?|allerg\w+|
    reflux|throat|ears|shoulders?|neck|anxiety)\b|(?:runs?|run) in (?:my|our) family|
    (?:calls?|knows?) me (?:as )?(?-i:[A-Z])[\w'-]*)
""")

# "It's cashews I'm allergic to", "home is Accra", "there are 14 panels on my roof", "it's Kathryn with a K".
TURNED = joined(rf"""
    ^(?:it's|it is|it was) (?!(?:not|the|what|how|why|when|where|like|so|as|been|great|good|nice|something|someone|
    all|just|my|
    one)\b)[\w' -]{{2,40}} (?:that )?I(?:'m| am| have| take| need| use| play| speak| wear)(?: (?:allergic|scared|
    afraid|interested))?|^(?:it's|it is|that's|that is) [\w' -]{{2,40}} (?:I (?:can't|cannot|don't|never) (?:eat|
    drink|tolerate|stand|take|have)|with (?:an?|one|two|double) (?-i:[A-Za-z])\b)|
    ^i (?:spell|write|pronounce) (?:it|my (?:\w+ )?name) .*|^(?:it's|that's) [\w' -]{{2,30}}, with (?:an?|one|two|
    double) |^(?:my )?(?:name|surname|first name|street) (?:is|'s) spel|
    ^(?:it's |it is )?(?-i:[A-Z])[\w'-]+,?(?: (?:spelt|spelled|written|pronounced))? with(?:out)? (?:an?|one|two|
    double) (?:silent )?["']?\w\b|^(?:the )?(?:sur|last |first |family )?name(?:'s| is) (?-i:[A-Z])[\w'-]*|
    ^the (?:new|right|correct|full|current|delivery|billing|home) (?:address|number|name|e-?mail(?: address)?|
    phone(?: number)?|mobile|spelling|date of birth)[ ](?:is|'s) (?!wrong|not\b)|
    ^in (?:our|my) (?:house(?:hold)?|family|home|flat),? (?!there|it\b|is\b).*|
    ^(?:that|this|the) (?:\w+ )?(?:number|address|e-?mail|name|account|phone|car|flat|house) (?:isn't|is not|
    is no longer|was never) (?:mine|ours|my \w+|right|current|valid|in use)\b.*|
    ^(?:home|my home) is (?!where|so|the best|a)|^there(?:'s| is| are) (?:no |an? |two |three |\d+ ).*\b(?:on|in|at|
    near|by|outside|behind|under) my (?:{w.HOUSEHOLD}|roof|place|building|block|road|yard|body)\b|
    ^(?:{w.DAYS}|mornings|afternoons|evenings|nights|weekends|weekdays)(?: and \w+)?(?: (?:after|before|until|from|
    between)[ ][\w: ]+)? (?:are|is|work|suit)s? (?:best|better|fine|ok|okay|good|bad|out|no good|impossible|off|
    ideal|always)\b|^there(?:'s| is| are) (?:an? |two |three |four |five |\d+ )[\w -]+ (?:living|in) (?:our|
    my) (?:house(?:hold)?|flat|family|home)|^(?-i:[A-Z])\w+ is home$|^everyone calls me
""")

# "Been vegan since 2018", "vegetarian here", "black coffee, no sugar, that's me".
SHORT = joined(rf"""
    ^(?:(?:gluten|dairy|sugar|meat|smoke|lactose|alcohol)-free (?:since|for) .*|
    (?:vegan|vegetarian|sober|single|married|retired|widowed|divorced) (?:since|for) .*|
    been (?:(?:an?(?! (?:while|few|long|bit|crazy|great))|on|off|in|with|living|working|teaching|married|vegan|
    vegetarian|sober|retired|self-employed)\b).*\b(?:since|for (?:\w+ ){{1,3}}(?:years?|months?|decades?)|
    all my life)\b.*|(?:severely |badly |also |mildly |very )?(?:allergic|intolerant|
    sensitive) to (?!{w.POINTING})\S.*|(?:\w+ )?(?:vegan|vegetarian|coeliac|diabetic|beginner|insomniac|introvert|
    newbie|retired \w+|(?:morning|night|cat|dog|tea|coffee) (?:person|lover|owl)|
    (?:nurse|teacher|student|developer|engineer|pensioner|parent|mum|dad|wheelchair user|left-?hander|\w+ist|
    \w+ian)) here\b.*|(?:former|ex-?|retired|trainee|freelance|part-time|full-time|single|proud|
    stay-at-home) ?\w+(?: \w+)? here\b.*|(?:based|living|born|raised|working|studying|married) (?:and \w+ )?(?:in|
    at|as|for|near|to|since|from) (?!{w.POINTING}|general|mind)(?!progress|the (?:meantime|moment|end))\S.*|
    (?!.*\b(?:is|are|my)\b).{{3,60}}\b(?:that's me|for me,? always|every time for me)\b.*|
    (?!.*\b(?:is|are|gets?|needs?|must|have|has|don't|doesn't|goes?)\b.*,).{{3,80}}, (?:always|
    every (?:time|morning|day|evening|night)|any day|as always|as usual|as ever)(?:[,;].*)?|
    (?:off|on|without) (?!hold|the way|my way|it\b|to\b|top)[\w ]{{2,30}} since .*|
    .{{3,60}}, that's my (?:breakfast|lunch|dinner|usual|order|thing|drink|style|way|routine|limit|size|
    favou?rite\w*)\b.*|[\w ]{{3,40}} for me,? please,? (?:whatever|always|every|no matter).*|
    no \w+(?: \w+)? for me(?:,? (?:ever|thanks|please|always|at all|any ?more))+|
    (?:only|just) [\w ]{{3,40}} for me(?:,? (?:now|always|please|from now on|these days))+|
    [\w ]{{3,30}} only for me\b.*)$
""")

# "We have two cats", "the dog is called Moss", "the porch light should come on at sunset".
HOME_IS = joined(rf"""
    {w.LEAD}(?:(?:the|our|my) (?!kitchen (?:closes|opens|is (?:closed|open))|
    (?:lab|office|staff|shop|clinic|school|company|team|server|studio)\b)(?:\w+ )?{w.HOUSEHOLD}(?: (?:light|lights|
    door|window|alarm|collection|heating|number|address))?(?: (?:and|in|on|at|
    of) (?:(?:the|our|my) )?\w+)? (?:(?:{w.ADVERB}) )*(?:is|are|has|have|should|must|needs?|gets?|never|always|only|
    runs?|goes|go|stays?|faces?|sleeps?|eats?|takes?|comes?|lives?|hates?|can't|isn't|
    (?:doesn't|don't)(?! (?:work|open|close|start|turn|respond|ring|light|heat)\b)|measures?|opens?|
    closes?) (?!{w.STATE}\b|(?:not|asleep|sick|ill|acting|barking|coming|so)\b)\S.*|
    we(?:'ve| have)?(?: got)?(?: (?:{w.ADVERB}|don't|do not))* (?:have|own|keep|got|'ve got)? ?(?:no |any |an? |
    two |three |four |five |six |our |\d+ ){{1,2}}(?:[\w-]+ ){{0,3}}?(?:{w.HOUSEHOLD}|kids?|child|children|sons?|
    daughters?|twins|bab(?:y|ies)|bikes?|e-bikes?|solar panels?|tv|piano|grandchildren|
    grandkids)\b(?!.*\b(?:policy|office|customers?|company)\b).*|(?:the )?(?:parcels?|packages?|post|letters|
    newspaper|groceries) (?:should|must|always|go|goes|may|can) .*|
    we(?:'re| are) (?:(?:\w+ )?(?:adults|persons) and |\w+ adults|getting married|expecting|trying for|
    a (?:family|couple|household|family of \w+)|(?:both |all )?(?:vegan|vegetarian|retired|married)|renting|
    renovating|moving (?:house|to|in)|adopting|home-?schooling|new parents)\b.*|
    we (?:(?:don't |do not |always |never |usually |only )?\w+ .*\bat home\b.*$|
    keep (?:shabbat|sabbath|kosher|halal|hens|chickens|bees|rabbits|the sabbath)|
    (?:(?:always|usually|never|mostly) )?(?:eat|dine|sleep|go to bed|get up|cook|celebrate|walk the dog)|live|heat|
    rent|homeschool|home-?school|share custody|separate our|compost|don't fly|go on holiday|sleep|celebrate|
    garden)\b(?! (?:in hope|for)).*)$
""")

# "I'll be on leave from May", "I promised to …", "I look at every pull request within a day".
PROMISE = joined(rf"""
    {w.LEAD}(?:I(?:'ll| will) (?:be (?:on (?:\w+ )?leave|away|abroad|in (?-i:[A-Z])[\w-]+|out of office|off|
    unavailable|travelling|retired)\b.*\b(?:until|till|from|between|through|for|in|on)\b.*|
    (?:always|never) (?!(?:forget|remember|love|be|cherish|treasure|know|stop|give up|understand|get)\b)\S.*|
    (?:pay|deliver|send|finish|hand|submit|repay|return|publish|ship|file|review|present|sign|renew)\b.*\b(?:by|
    before|on|every|each) .*(?:{w.MONTHS}|{w.DAYS}|\d+).*)|I(?:'ve| have)? (?:promised|committed|agreed|pledged|
    vowed|undertook|undertaken|sworn)(?: (?:myself|my|him|her|them|our|the|\w+))* (?:to|that|never|by)\b.*|
    I owe \w+ .*\b(?:by|until|before)\b.*|I(?:'m| am) (?:due|booked|scheduled|signed up|registered|
    committed)\b (?:to|in|for|on) .*(?:{w.MONTHS}|{w.DAYS}|\d+).*)$
""")
