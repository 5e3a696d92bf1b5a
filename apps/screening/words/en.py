"""English."""

from apps.screening.patterns import joined

CONCEPTS = {
    "conceal": joined(r"""
        (?:do not|don't|never|without) (?:tell|telling|inform|informing|alert|alerting|notify|notifying|let|
        mention|mentioning|warn)[^.!?\n]{0,40}? (?:users?|customers?|clients?|operators?|owners?|humans?|
        admins?|anyone|anybody|it to)|keep (?:this|it|that) (?:secret|hidden|quiet) from|behind the (?:user|
        operator|owner)'s back
    """),
    "unrestricted": joined(r"""
        no (?:more )?(?:restrictions?|limits|limitations|filters|rules|guardrails)|
        without (?:any )?(?:restrictions?|limits|limitations|filters?|filtering|rules|guardrails|exception)|
        unrestricted|unfiltered|uncensored|(?:in|enter|enable|activate) (?:developer|debug|god|dan|admin|
        maintenance) mode|no content polic(?:y|ies)|regardless of (?:any )?polic(?:y|ies)
    """),
    "override": joined(r"""
        ignore|disregard|overrid(?:e|ing)|overrule|bypass(?:ing)?|set aside|throw away|discard|neglect|forget|
        skip|disable|drop|purge|(?:stop|quit|no longer) (?:following|follow|obeying|obey)|(?:do not|don't|
        never) (?:follow|obey|respect)
    """),
    "persona": joined(r"""
        you are now|you're now|from now on,? you are|pretend (?:that you are|you are|to be)|act as (?:(?:a |an |
        the )?(?:system )?(?:administrator|root)|if you|an? unrestricted|an? (?:admin|developer))|role-?play as|
        you are (?:dan|an? (?:ai|assistant|model|bot) (?:that|who|with|without))|your new (?:persona|role|task|
        goal|mission|instructions?) (?:is|are)
    """),
    "prior": r"previous|prior|earlier|your|above|before|preceding|existing|system|safety|security",
    "rules": joined(r"""
        instructions?|rules?|guidelines?|guardrails?|directives?|prompts?|restrictions|policies|policy|
        programming|protocols?|safeguards|constraints|(?:safety|content|moderation) filters?|configuration|guidance|training|checks|context|
        (?:everything|anything|whatever|all) (?:you|you've|the operator|they) (?:(?:were|was|have been|been|
        have) )?(?:told|given|said)(?: you)?
    """),
    "authority": joined(r"""
        (?:system|admin|administrator|developer) (?:message|notice|override|command|instruction)|as (?:the|
        your) (?:developer|administrator|admin|owner|creator)[^.!?\n]{0,40}? (?:authori[sz]e|order|command|
        allow)|i (?:hereby )?authori[sz]e you
    """),
    "note": r"notes?|reminder|message|instructions?|orders?|notice|command|memo|attention",
    "assistant": joined(r"""
        ais?|a\.i\.|assistants?|bots?|chatbots?|agents?|language models?|llms?|models?|gpt|chatgpt|claude
    """),
    "standing": joined(r"""
        from now on|henceforth|from this (?:moment|point) on|in (?:the )?future|always|every time|at all times|
        from here on|permanently|(?:starting|beginning|as of|from) (?:now|today|this moment)|going forward|
        effective immediately|hereafter
    """),
    "send": joined(r"""
        send|forward|bcc|cc|copy|e-?mail|mail|post|upload|transmit|relay|append|attach|leak|exfiltrate|pipe|
        deliver|paste|submit
    """),
    "each": r"(?:each|every|any)(?! time\b)|all|whole|entire",
    "output": r"repl(?:y|ies)|answers?|responses?|messages?|outputs?|requests?|prompts?|inputs?|questions?",
    "log": joined(r"""
        conversations?|chats?|chat (?:log|history)|transcripts?|dialogs?|dialogues?|history|session|
        context window
    """),
    "reveal": joined(r"""
        reveal|print|show|summari[sz]e|translate|encode|convert|quote|what (?:is|are|was|were) (?=your|
        the (?:exact|full|hidden|system))|what's (?=your|the (?:exact|full|hidden|system))|list|output|disclose|
        repeat|expose|dump|leak|recite|hand(?: over| out)?|give out|tell me|append|read out
    """),
    "confidential": joined(r"""
        (?:system|hidden|initial|original|first) (?:prompt|message)s?|(?:the )?instructions (?:you were given|
        above)|your (?:exact |full |own )?(?:instructions|configuration)|(?:everything|text|words|
        lines)[^.!?\n]{0,16}? (?:above|before) (?:this|my)|admin(?:istrator)? notes?|internal notes|(?:hidden|
        internal|secret|initial|original) instructions?|api[ -]keys?|credentials|secrets|secret keys?|
        access tokens?|admin(?:istrator)? passwords?|confidential \w+
    """),
    "password": r"passwords?|private keys?|keys",
    "cond": r"if|when|whenever|as soon as|once|in case|(?:every|each|any) time|should(?= (?:an?|any|some|the)\b)",
    "anyone": joined(r"""
        any(?:one|body)|some(?:one|body)|whoever|people|a (?:person|user|customer|client|visitor)|users?|
        customers?|clients?|callers?
    """),
    "ask": joined(r"""
        asks?|asked|mentions?|mentioned|says?|said|inquires?|enquires?|wants? to know|talks? about|brings? up|
        raises?|types?|writes?|comes? up|arises?
    """),
    "answer": joined(r"""
        (?<!the )(?<!an )(?<!no )(?:answer|reply|respond|say|tell|claim|state|confirm|insist|give|recommend)
    """),
    "store": joined(r"""
        save|store|memori[sz]e|remember|persist|commit to memory|(?:save|store|write|add|
        keep)[^.!?\n]{0,12}? (?:to|in) (?:your |the )?(?:long-term )?memory
    """),
    "forever": joined(r"""
        forever|permanently|for all time|for good|always|in (?:your |the )?(?:long-term )?memory|to (?:your |
        the )?(?:long-term )?memory|as a (?:fact|rule)
    """),
    "noapproval": joined(r"""
        (?:no|without|not need(?:ing)?|needs? no|skip(?:ping)?|bypass(?:ing)?|don't need|do not need|
        does not need|any|(?:do not|don't) ask for) (?:an |any |the |further )?(?:approvals?|verification|
        confirmation|authori[sz]ation|review|checks?|permission|consent)(?: (?:is|are) (?:not )?(?:needed|
        required|necessary))?
    """),
    "payment": joined(r"""
        bank accounts?|account numbers?|iban|wallet|payments?|refunds?|invoices?|transfers?|wire|payouts?|
        balance|funds|account
    """),
    "approve": r"approve|grant|authori[sz]e|confirm|accept|execute|transfer|wire|pay|refund",
    "tool": r"(?:call|invoke|run|execute|use|trigger|start)(?: the| a)?",
    "not": r"don't|do not|never|not|no|won't|cannot|can't|must not|should not|shouldn't|mustn't",
    "voided": joined(r"""
        void|cancell?ed|revoked|deprecated|invalid|obsolete|no longer (?:apply|applies|valid|bound|in force|
        count)|(?:do not|don't|does not|doesn't) (?:apply|count)|(?:can|may|should|must) be (?:ignored|skipped|
        bypassed|disregarded|forgotten)|(?:is|are) (?:lifted|suspended|disabled|(?:switched|turned) off)
    """),
    "obey": joined(r"""
        (?:obey|follow|serve|trust)(?:s)? only|only (?:obey|follow|listen to|serve)|
        comply with (?:the )?user only
    """),
    "jailbreak": r"do anything now|dan mode",
    "reader": joined(r"""
        (?:ais?|assistants?|agents?|(?:language )?models?|llms?|bots?) (?:(?:that |who |which )?(?:read|process(?:es)?|
        summari[sz]e|analy[sz]e|parse|indexe?)s?|reading|processing|summari[sz]ing|analy[sz]ing|parsing|
        indexing) (?:this|the)|when(?:ever)? you read this|if you are an? (?:ai|llm|
        language model|assistant|bot|agent)
    """),
}
