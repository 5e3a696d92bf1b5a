"""The words of seven languages in which an order to an assistant is given, by what they mean.

Read in a view without accents on Latin letters; Arabic with plain alef, ya and ha. A word list carries no judgement:
`injection.RULES` says which meanings together make an order.
"""

import re

# The order says what wins where two begin at the same place: phrases before the words they begin with.
ORDER = (
    *("conceal", "unrestricted", "noapproval", "authority", "persona", "confidential", "override", "rules"),
    *("standing", "forever", "log", "answer", "ask", "output", "each", "prior", "not", "cond", "anyone", "send"),
    *("reveal", "store", "payment", "approve", "note", "assistant", "password", "link", "tool"),
)
LANGUAGES: dict[str, dict[str, str]] = {
    "en": {
        "conceal": r"(?:do not|don't|never|without) (?:tell|telling|inform|informing|alert|alerting|notify|notifying|let"
        r"|mention|mentioning|warn)[^.!?\n]{0,20}? (?:users?|customers?|clients?|operators?|owners?|humans?|admins?|anyone"
        r"|anybody|it to)|keep (?:this|it|that) (?:secret|hidden|quiet) from|behind the (?:user|operator|owner)'s back",
        "unrestricted": r"no (?:more )?(?:restrictions?|limits|limitations|filters|rules|guardrails)|without (?:any )?"
        r"(?:restrictions?|limits|limitations|filters|rules|guardrails)|unrestricted|unfiltered|jailbreak|jailbroken"
        r"|do anything now|(?:enter|enable|activate) (?:developer|debug|god|dan) mode",
        "override": r"ignore|disregard|override|overrule|bypass|set aside|throw away|discard|neglect|forget"
        r"|(?:stop|quit|no longer) (?:following|follow|obeying|obey)|(?:do not|don't|never) (?:follow|obey|respect)",
        "persona": r"you are now|you're now|from now on,? you are|pretend (?:that you are|you are|to be)|act as (?:if you"
        r"|an? unrestricted|an? (?:admin|root|developer))|your new (?:role|task|goal|mission|instructions?) (?:is|are)",
        "prior": r"previous|prior|earlier|your|above|before|preceding|existing|system|safety|security",
        "rules": r"instructions?|rules?|guidelines?|guardrails?|directives?|prompts?|restrictions|policies|programming"
        r"|(?:everything|anything|whatever|all) (?:you|you've) (?:were|was|have been|been) told",
        "authority": r"(?:system|admin|administrator|developer) (?:message|notice|override|command|instruction)"
        r"|as (?:the|your) (?:developer|administrator|admin|owner|creator)[^.!?\n]{0,40}? (?:authori[sz]e|order|command|allow)"
        r"|i (?:hereby )?authori[sz]e you",
        "note": r"notes?|reminder|message|instructions?|orders?|notice|command|memo|attention",
        "assistant": r"ai|a\.i\.|assistant|bot|chatbot|agent|language model|llm|model|gpt|claude",
        "standing": r"from now on|henceforth|from this (?:moment|point) on|in (?:the )?future|always|every time|at all times"
        r"|from here on|permanently",
        "send": r"send|forward|bcc|cc|copy|e-?mail|mail|post|upload|transmit|relay|append|attach|leak|exfiltrate|pipe|deliver",
        "each": r"each|every|all|any|whole|entire",
        "output": r"repl(?:y|ies)|answers?|responses?|messages?|outputs?|requests?|prompts?|inputs?|questions?",
        "log": r"conversations?|chats?|chat (?:log|history)|transcripts?|dialogs?|dialogues?|history|session|context window",
        "reveal": r"reveal|print|show|list|output|disclose|repeat|expose|dump|leak|recite|hand over|give out|tell me|append"
        r"|read out",
        "confidential": r"system prompt|hidden prompt|admin(?:istrator)? notes?|internal notes|(?:hidden|internal|secret|"
        r"initial|original) instructions?|api[ -]keys?|credentials|secrets|secret keys?|access tokens?|admin(?:istrator)?"
        r" passwords?|confidential \w+",
        "password": r"passwords?|private keys?|keys",
        "cond": r"if|when|whenever|as soon as|once|in case|every time|each time",
        "anyone": r"any(?:one|body)|some(?:one|body)|whoever|people|a (?:person|user|customer|client|visitor)|users?"
        r"|customers?|clients?|callers?",
        "ask": r"asks?|asked|mentions?|mentioned|says?|said|inquires?|enquires?|wants? to know|talks? about|brings? up"
        r"|raises?|types?|writes?",
        "answer": r"(?<!the )(?<!an )(?<!no )(?:answer|reply|respond|say|tell|claim|state|confirm|insist|give|recommend)",
        "store": r"save|store|memori[sz]e|remember|persist|commit to memory|(?:save|store|write|add|keep)[^.!?\n]{0,12}? "
        r"(?:to|in) (?:your |the )?(?:long-term )?memory",
        "forever": r"forever|permanently|for all time|for good|always|in (?:your |the )?(?:long-term )?memory"
        r"|to (?:your |the )?(?:long-term )?memory|as a (?:fact|rule)",
        "noapproval": r"(?:no|without|not need(?:ing)?|needs? no|skip(?:ping)?|bypass(?:ing)?|don't need|do not need|does not"
        r" need|any) (?:an |any |the |further )?(?:approvals?|verification|confirmation|authori[sz]ation|review|checks?|"
        r"permission|consent)(?: (?:is|are) (?:not )?(?:needed|required|necessary))?",
        "payment": r"bank accounts?|account numbers?|iban|wallet|payments?|refunds?|invoices?|transfers?|wire|payouts?"
        r"|balance|funds|account",
        "approve": r"approve|grant|authori[sz]e|confirm|accept|execute|transfer|wire|pay|refund",
        "link": r"links?|url|website|address",
        "tool": r"(?:call|invoke|run|execute|use|trigger|start)(?: the| a)?",
        "not": r"don't|do not|never|not|no|won't|cannot|can't|must not|should not|shouldn't|mustn't",
    },
    "de": {
        "conceal": r"(?:sag|sage|sagen sie|erzahl|erzahle|verrat|verrate|teile|melde)[^.!?\n]{0,12}? (?:dem|den|der)? ?(?:nutzer|"
        r"benutzer|kunden|kunde|betreiber|anwender|besitzer|admin)\w*[^.!?\n]{0,12}?(?:nichts|nicht)|ohne (?:es |das )?(?:dem|den)"
        r" (?:nutzer|benutzer|kunden|betreiber|anwender)\w* (?:zu sagen|mitzuteilen|zu informieren)|(?:vor|gegenuber) dem"
        r" (?:nutzer|betreiber|kunden)[^.!?\n]{0,12}? (?:geheim|verborgen)",
        "unrestricted": r"ohne (?:jede |jegliche |alle )?(?:einschrankung(?:en)?|grenzen|filter|regeln|beschrankungen)"
        r"|uneingeschrankt\w*|keine (?:einschrankungen|regeln|grenzen|beschrankungen)(?: mehr)?",
        "override": r"ignorier\w*|vergiss|vergessen sie|missacht\w*|umgeh\w*|ubergeh\w*|verwirf|uberschreib\w*|setze? [^.!?\n]"
        r"{0,40}ausser kraft|befolge? [^.!?\n]{0,30}nicht(?: mehr)?|halte? dich nicht(?: mehr)? an",
        "persona": r"du bist (?:jetzt|nun|ab sofort|ab jetzt|von nun an|kunftig)|sie sind (?:jetzt|nun|ab sofort)|tu so,? als"
        r"|gib dich als|spiel(?:e)? die rolle|deine neue (?:aufgabe|rolle) (?:ist|lautet)",
        "prior": r"bisherig\w*|vorherig\w*|vorig\w*|fruher\w*|dein\w*|ihre|obig\w*|vorangegangen\w*|vorher|zuvor",
        "rules": r"anweisung\w*|instruktion\w*|regeln|\w*vorgaben|\w*regeln|richtlinien|befehle|beschrankungen"
        r"|(?:alles,? was (?:dir|man dir) [^.!?\n]{0,20}gesagt)",
        "authority": r"(?:nachricht|meldung|hinweis|anweisung|befehl) (?:vom|des|der|von der|von) (?:system|administrator\w*|"
        r"admin|entwickler\w*|geschaftsleitung)|als (?:dein |der )?(?:entwickler|administrator|admin|betreiber)[^.!?\n]{0,40}?"
        r" (?:erlaube|befehle|ermachtige|autorisiere)",
        "note": r"hinweis|notiz|nachricht|anweisung|befehl|mitteilung|erinnerung|achtung|an (?:die|den|das)",
        "assistant": r"\w*assistent\w*|ki|bot|chatbot|agent\w*|sprachmodell|modell",
        "standing": r"ab jetzt|ab sofort|von nun an|von jetzt an|kunftig|in zukunft|zukunftig|fortan|stets|immer|jedes mal"
        r"|dauerhaft",
        "send": r"leite|leiten sie|weiterleiten|weiterzuleiten|schick\w*|send\w*|kopier\w*|ubermittl\w*|ubermittel\w*|maile|"
        r"hange|hang|lade|poste|weitergeleitet|gesendet|geschickt",
        "each": r"jede\w*|alle\w*|samtlich\w*|jegliche|ganze\w*",
        "output": r"antwort(?:en)?|nachricht(?:en)?|ausgabe\w*|anfrage\w*|fragen?|eingabe\w*",
        "log": r"gesprach\w*|unterhaltung\w*|chatverlauf\w*|chat|verlauf|protokoll\w*|dialog\w*",
        "reveal": r"zeig\w*|nenn\w*|verrat\w*|gib|geben sie|liste\w*|enthull\w*|drucke|offenbar\w*|wiederhol\w*|sag mir|teile",
        "confidential": r"system-?prompt\w*|systemanweisung\w*|zugangsdat\w*|anmeldedat\w*|api-?schlussel\w*|admin-?notiz\w*|"
        r"geheim\w* \w+|vertraulich\w* \w+|intern\w* (?:notiz\w*|anweisung\w*|daten)|kundendaten|nutzerdaten|passwort des admin\w*",
        "password": r"passwort|passworter|schlussel|kennwort",
        "cond": r"wenn|falls|sobald|immer wenn|sollte|sooft|jedes mal,? wenn",
        "anyone": r"jemand\w*|irgendwer|wer|ein (?:kunde|nutzer|benutzer|besucher|anrufer)|kunden|nutzer|man|leute",
        "ask": r"fragt\w*|frage nach|erwahn\w*|sagt|nachfrag\w*|wissen (?:will|mochte)|anspricht|schreibt|gefragt wird|spricht",
        "answer": r"antworte|antworten sie|sag|sage|sagen sie|behaupt\w*|erwidere|entgegne|bestatig\w*|nenne|empfiehl|gib",
        "store": r"speicher\w*|merk dir|merke dir|merken sie sich|behalte",
        "forever": r"dauerhaft|fur immer|permanent|auf dauer|im gedachtnis|ewig",
        "noapproval": r"(?:keine?r?|ohne) (?:weitere )?(?:genehmigung|freigabe|prufung|bestatigung|zustimmung|kontrolle|"
        r"erlaubnis|uberprufung)|prufung (?:zu )?uberspring\w*|prufung zu uberspringen|nicht genehmigt werden mussen",
        "payment": r"bankkont\w*|konto\w*|kontonummer|iban|rechnung\w*|zahlung\w*|erstattung\w*|ruckerstattung\w*|uberweis\w*|"
        r"guthaben|geld",
        "approve": r"freigeben|freigibt|genehmig\w*|bestatig\w*|uberweis\w*|gewahr\w*|erlaub\w*|ausfuhr\w*",
        "link": r"link|webseite|adresse",
        "tool": r"(?:ruf\w*|starte|fuhre?|verwende|benutze)",
        "not": r"nicht|nie|niemals|kein|keine|keinen",
    },
    "es": {
        "conceal": r"no (?:le |les )?(?:digas|diga|cuentes|cuente|menciones|mencione|informes|informe|avises|avise|reveles)"
        r"[^.!?\n]{0,20}? (?:al?|los|las) ?(?:usuario|cliente|operador|dueno|administrador|propietario)\w*|sin (?:que|decir|"
        r"avisar|informar)[^.!?\n]{0,12}? (?:al|el) (?:usuario|cliente|operador)\w*|oculta\w* (?:esto |lo )?(?:al|a los)"
        r" (?:usuario|cliente|operador)\w*",
        "unrestricted": r"sin (?:ninguna |ningun |mas )?(?:restricci\w+|limites|filtros|reglas|limitaciones)|no tienes"
        r" (?:restricciones|limites|reglas)",
        "override": r"ignor[ae]\w*|olvid[ae]\w*|haz caso omiso|haga caso omiso|descart[ae]\w*|desobedece\w*|saltate|omite|"
        r"no (?:sigas|siga|obedezcas|respetes)|anula|elude|deja de (?:seguir|obedecer|lado)|no hagas caso",
        "persona": r"ahora eres|eres ahora|a partir de ahora eres|desde ahora eres|finge (?:que eres|ser)|haz como si|actua como|"
        r"tu nueva (?:tarea|mision) es|tu nuevo (?:rol|objetivo) es|hazte pasar por",
        "prior": r"anterior(?:es)?|previ[ao]s?|tus|sus|tu|de arriba|del sistema|de seguridad|antes",
        "rules": r"instrucci\w+|reglas|normas|directrices|indicaciones|ordenes|restricciones|politicas|lo que te (?:dijeron|han dicho)",
        "authority": r"(?:mensaje|aviso|orden|nota) del? (?:sistema|administrador|desarrollador|admin)|como (?:tu )?(?:"
        r"desarrollador|administrador|creador|dueno)[^.!?\n]{0,40}? (?:autorizo|ordeno|permito)|te autorizo a",
        "note": r"notas?|mensaje|aviso|instruccion|orden|recordatorio|atencion|oye",
        "assistant": r"asistente|bot|chatbot|agente|ia|modelo(?: de lenguaje)?|inteligencia artificial|robot",
        "standing": r"a partir de ahora|de ahora en adelante|desde ahora|en adelante|en el futuro|siempre|permanentemente|futur[ao]s?"
        r"|a partir de este momento",
        "send": r"reenvi[ae]\w*|envi[ae]\w*|manda\w*|mande\w*|copia\w*|remite|transmit[ae]|adjunta\w*|anade|agrega|sube|publica",
        "each": r"cada|tod[ao]s?|entera?",
        "output": r"respuestas?|contestacion(?:es)?|mensajes?|salidas?|solicitud(?:es)?|preguntas?|peticion(?:es)?",
        "log": r"conversaci\w+|chat|historial|transcripci\w+|dialogos?|registro",
        "reveal": r"revel[ae]\w*|muestr[ae]\w*|ensena\w*|imprim[ea]|divulg\w*|di|dime|list[ae]|enumer[ae]|repite|entrega|da|comparte",
        "confidential": r"prompt del? sistema|instrucciones (?:ocultas|internas|secretas|del sistema)|credenciales|claves? api|"
        r"claves? de api|notas? (?:internas?|del administrador)|secretos|(?:datos|contactos|informacion|informes?) (?:confidencial"
        r"(?:es)?|secret[ao]s?|de (?:los )?(?:clientes|usuarios))|contrasena del admin\w*",
        "password": r"contrasenas?|claves?",
        "cond": r"si|cuando|cada vez que|en cuanto|siempre que|en caso de que",
        "anyone": r"alguien|cualquiera|quien|un (?:cliente|usuario|visitante)|una persona|(?:los )?clientes|(?:los )?usuarios|gente",
        "ask": r"pregunt(?:a|e|an|en|ara|aran)|mencion\w*|dice|diga|habl[ae]\w*|quier[ae]\w* saber|consult[ae]\w*|pid[ea]\w*|escrib[ea]",
        "answer": r"respond[ea]|contest[ae]|di|diga|dile|afirma|asegura|confirma|indica|recomienda",
        "store": r"guard[ae]\w*|almacen[ae]\w*|recuerd[ae]\w*|memoriz[ae]\w*|graba",
        "forever": r"para siempre|permanentemente|de forma permanente|de manera permanente|en (?:tu )?memoria",
        "noapproval": r"(?:no (?:necesit\w+|requier\w+|hace falta|es necesari[ao])|sin)(?: de| la| ninguna)? (?:aprobacion|"
        r"autorizacion|verificacion|confirmacion|revision|permiso)|(?:omitir|saltar|saltarte) la (?:verificacion|aprobacion|revision)",
        "payment": r"cuentas? bancarias?|numero de cuenta|iban|facturas?|pagos?|reembolsos?|transferencias?|transfiere|saldo|fondos",
        "approve": r"aprob\w+|aprueb\w+|autoric\w+|autoriz\w+|confirm\w+|transfier\w+|conced\w+|acept\w+",
        "link": r"enlace|vinculo|sitio",
        "tool": r"(?:llama|ejecuta|usa|invoca)(?: a)?(?: la)?",
        "not": r"no|nunca|jamas",
    },
    "pt": {
        "conceal": r"nao (?:lhe |o |a )?(?:conte|diga|digas|mencione|informe|avise|revele)[^.!?\n]{0,20}? (?:ao?s?) ?(?:usuario|"
        r"utilizador|cliente|operador|dono|administrador)\w*|sem (?:que|avisar|informar|contar)[^.!?\n]{0,12}? (?:ao?) (?:usuario|"
        r"utilizador|cliente|operador)\w*|(?:esconda|oculte)\w* (?:isto |isso )?(?:do|ao|dos) (?:usuario|utilizador|cliente|operador)\w*",
        "unrestricted": r"sem (?:nenhuma |qualquer |quaisquer |mais )?(?:restri\w+|limites|filtros|regras|limitacoes)|nao tens? "
        r"(?:restricoes|limites|regras)",
        "override": r"ignor[ae]\w*|esquec?[ae]\w*|desconsider[ae]\w*|descart[ae]\w*|desobedec\w*|contorn[ae]\w*|nao (?:siga|sigas|"
        r"obedeca|respeite)|anule|deixe de (?:seguir|obedecer|lado)|pare de seguir",
        "persona": r"agora (?:voce e|es|tu es|voce sera)|voce agora e|(?:a partir|de) agora (?:em diante )?(?:voce e|es)|finja"
        r" (?:que (?:voce )?e|ser)|faca de conta|aja como|sua nova (?:tarefa|missao) e|seu novo (?:papel|objetivo) e",
        "prior": r"anterior(?:es)?|previ[ao]s?|suas|seus|tuas|teus|acima|do sistema|de seguranca|antes",
        "rules": r"instruc\w+|regras|normas|diretrizes|orientacoes|ordens|restricoes|politicas|o que lhe (?:disseram|foi dito)",
        "authority": r"(?:mensagem|aviso|ordem|nota) do (?:sistema|administrador|desenvolvedor|admin)|como (?:seu |teu )?(?:"
        r"desenvolvedor|administrador|criador|dono)[^.!?\n]{0,40}? (?:autorizo|ordeno|permito)|autorizo(?:-te|-o)? a",
        "note": r"notas?|mensagem|aviso|instrucao|ordem|lembrete|atencao|ei",
        "assistant": r"assistente|bot|chatbot|agente|ia|modelo(?: de linguagem)?|inteligencia artificial|robo",
        "standing": r"a partir de agora|de agora em diante|daqui em diante|doravante|no futuro|futuramente|sempre|permanentemente|"
        r"futur[ao]s?",
        "send": r"encaminh\w*|envi[ae]\w*|mand[ae]\w*|copi[ae]\w*|remet\w*|transmit\w*|anex[ae]|acrescent[ae]|adicion[ae]|reenvi[ae]",
        "each": r"cada|tod[ao]s?|inteir[ao]",
        "output": r"respostas?|mensagem|mensagens|saidas?|solicitac\w+|perguntas?|pedidos?",
        "log": r"conversas?|chat|historico|transcric\w+|dialogos?|registro|registo",
        "reveal": r"revel[ae]\w*|mostr[ae]\w*|exib[ae]|imprim[ae]|divulg\w*|diga|diga-me|list[ae]|repit[ae]|entregue|compartilhe",
        "confidential": r"prompt (?:de|do) sistema|instrucoes (?:ocultas|internas|secretas|do sistema)|credenciais|chaves? (?:de )?"
        r"api|notas? (?:internas?|do administrador)|segredos|(?:dados|contatos|contactos|informac\w+) (?:confidencia\w+|secret[ao]s?|"
        r"d[eo]s? (?:clientes|usuarios|utilizadores))|senha do admin\w*",
        "password": r"senhas?|palavras?-passe|chaves?",
        "cond": r"se|quando|sempre que|assim que|caso",
        "anyone": r"alguem|qualquer (?:um|pessoa)|quem|um (?:cliente|usuario|utilizador|visitante)|uma pessoa|(?:os )?clientes|"
        r"(?:os )?usuarios|pessoas",
        "ask": r"pergunt(?:a|e|am|em|ar|arem)|mencion\w*|diz|disser|fal[ae]\w*|quiser\w* saber|quer saber|consult[ae]\w*|ped\w+|escrev\w+",
        "answer": r"respond[ae]|dig[ae]|afirme|assegure|confirme|indique|recomende",
        "store": r"guard[ae]\w*|armazen[ae]\w*|lembr[ae]\w*|memoriz[ae]\w*|grave|salve",
        "forever": r"para sempre|permanentemente|de forma permanente|na (?:sua )?memoria",
        "noapproval": r"(?:nao (?:precis\w+|necessit\w+|requer\w*|e necessari[ao])|sem)(?: de| da| a| nenhuma)? (?:aprovacao|"
        r"autorizacao|verificacao|confirmacao|revisao|permissao)|(?:pular|saltar|omitir) a (?:verificacao|aprovacao|revisao)",
        "payment": r"contas? bancarias?|numero da conta|iban|faturas?|pagamentos?|reembolsos?|transferencias?|transfira|saldo|fundos",
        "approve": r"aprov\w+|autoriz\w+|confirm\w+|transfir\w+|conced\w+|aceit\w+",
        "link": r"link|ligacao|site",
        "tool": r"(?:chame|execute|use|invoque)(?: a)?",
        "not": r"nao|nunca|jamais",
    },
    "fr": {
        "conceal": r"n(?:e |')(?:le |la |les )?(?:dis|dites|parle|parlez|mentionne|mentionnez|informe|informez|revele|previens|avertis)"
        r"[^.!?\n]{0,20}? (?:a l'|au |aux |l'|le |les )(?:utilisateur|client|operateur|proprietaire|administrateur)\w*|sans"
        r" (?:en |le )?(?:dire|informer|prevenir|avertir|parler)[^.!?\n]{0,12}? l'?(?:utilisateur|e client|operateur)\w*|cache\w*"
        r" (?:ceci |cela |ca )?(?:a l'|au )(?:utilisateur|client|operateur)\w*",
        "unrestricted": r"sans (?:aucune? |plus de |la moindre )?(?:restrictions?|limites?|filtres?|regles?|limitations?)|tu n'as "
        r"(?:plus )?(?:aucune|de) (?:restriction|limite|regle)s?",
        "override": r"ignor(?:e|ez|er)|oubli(?:e|ez|er)|ne (?:tiens|tenez|tenir) (?:pas|plus) compte|fais abstraction|contourne\w*|"
        r"outrepasse\w*|desobeis|ne (?:suis|suivez|respecte|respectez|obeis) (?:pas|plus)|passe outre|laisse de cote|neglige",
        "persona": r"tu es (?:maintenant|desormais|a present)|vous etes (?:maintenant|desormais)|fais (?:semblant|comme si)|agis comme|"
        r"comporte-toi comme|ta nouvelle (?:tache|mission) est|ton nouveau role est|fais-toi passer",
        "prior": r"precedent\w*|anterieur\w*|tes|vos|ci-dessus|du systeme|de securite|avant",
        "rules": r"instructions?|regles?|consignes?|directives?|ordres|restrictions|politiques|ce qu'on t'a dit",
        "authority": r"(?:message|avis|ordre|note) (?:de l'|du )(?:administrateur|systeme|developpeur|admin)|en tant que (?:ton )?"
        r"(?:developpeur|administrateur|createur|proprietaire)[^.!?\n]{0,40}? (?:autorise|ordonne|permets)|je t'autorise a",
        "note": r"notes?|message|avis|instruction|ordre|rappel|attention|consignes?",
        "assistant": r"(?:l')?(?:assistant|agent|ia)|bot|chatbot|modele(?: de langage)?|robot|intelligence artificielle",
        "standing": r"desormais|dorenavant|a partir de maintenant|des maintenant|a l'avenir|toujours|en permanence|futurs?|future",
        "send": r"transfer\w+|transmet\w*|envoie\w*|envoy\w+|renvoie|fais suivre|copie\w*|ajoute|joins|expedie|poste|publie",
        "each": r"chaque|tout(?:es|e)?|tous|entiere?",
        "output": r"reponses?|messages?|sorties?|requetes?|questions?|demandes?",
        "log": r"conversations?|chat|historique|transcriptions?|dialogues?|discussion|journal",
        "reveal": r"revel\w+|montre\w*|affiche\w*|imprime|divulgue\w*|dis-moi|donne\w*|list(?:e|ez)|repete|livre|partage",
        "confidential": r"prompt (?:du )?systeme|instructions (?:cachees|internes|secretes|systeme)|identifiants|cles? (?:d')?api|"
        r"notes? (?:internes?|de l'administrateur)|secrets|(?:donnees|contacts|informations) (?:confidentiel\w+|secret\w*|des? "
        r"(?:clients|utilisateurs))|mot de passe (?:de l'|d')?admin\w*",
        "password": r"mots? de passe|cles?",
        "cond": r"si|quand|lorsque|lorsqu'|des que|des qu'|chaque fois que|au cas ou|s'",
        "anyone": r"quelqu'un|quiconque|on|qui que ce soit|un (?:client|utilisateur|visiteur)|une personne|(?:les )?clients|"
        r"(?:les )?utilisateurs|gens",
        "ask": r"demand\w+|parl\w+|mentionn\w+|dit|evoqu\w+|veut savoir|interrog\w+|pos\w+ la question|ecri[tv]\w*",
        "answer": r"repond\w*|dis|dites|affirme\w*|confirme\w*|indique\w*|recommande\w*",
        "store": r"enregistre\w*|retiens|memoris\w+|sauvegarde\w*|souviens-toi|stocke\w*",
        "forever": r"definitivement|pour toujours|de facon permanente|a jamais|en memoire|en permanence",
        "noapproval": r"(?:n'(?:ont|a) (?:pas|plus|nullement) besoin d'|sans |ne necessit\w+ (?:pas d'|aucune )|aucune )(?:une )?"
        r"(?:approbation|autorisation|verification|confirmation|validation|permission)|(?:sauter|ignorer|passer) la (?:verification|"
        r"validation)",
        "payment": r"comptes? bancaires?|numero de compte|iban|rib|factures?|paiements?|remboursements?|virements?|solde|fonds|vire",
        "approve": r"approuv\w+|autoris\w+|confirm\w+|valid\w+|accord\w+|accept\w+",
        "link": r"lien|site",
        "tool": r"(?:appelle|execute|utilise|lance)(?: l'| la)?",
        "not": r"ne|n'|pas|jamais",
    },
    "zh": {
        "conceal": r"(?:不要|别|勿|不得|不能)(?:告诉|通知|提醒|让|向)(?:.{0,6}?)(?:用户|客户|管理员|运营|主人|操作员)|(?:对|向)(?:用户|客户|管理员|"
        r"操作员)(?:.{0,4}?)(?:保密|隐瞒)|瞒着(?:用户|客户|管理员)|不要?让(?:用户|客户|管理员)(?:知道|发现)",
        "unrestricted": r"(?:没有|无|不受)(?:.{0,3}?)(?:限制|约束|规则|过滤)|越狱|开发者模式",
        "override": r"忽略|无视|忘记|忘掉|忽视|绕过|绕开|不要(?:遵守|遵循|理会)|不再(?:遵守|遵循)|抛开|丢弃|推翻|违反|作废",
        "persona": r"你现在是|从现在起你是|你将扮演|扮演|假装(?:你)?(?:是)?|假设你是|你的新(?:任务|角色)是",
        "prior": r"之前|以前|先前|上面|以上|你的|系统|安全",
        "rules": r"指令|指示|规则|规定|提示|约束|准则|命令|限制|说明|告诉你的",
        "authority": r"(?:系统|管理员|开发者)(?:的)?(?:消息|通知|指令|命令|提示)|我是(?:.{0,8}?)(?:开发者|管理员|主人|创造者)|授权你",
        "note": r"提示|注意|通知|消息|说明|命令|备注|指令|提醒",
        "assistant": r"助手|助理|机器人|智能体|人工智能|AI|语言模型|模型|代理",
        "standing": r"从现在起|从现在开始|今后|以后|从此|此后|永远|始终|每次|总是|一律",
        "send": r"转发|发送|发给|发到|抄送|寄给|寄到|传给|传送|上传|附上|附加|复制|邮寄",
        "each": r"每条|每个|每次|每一|所有|全部|任何|整个|一切",
        "output": r"回复|回答|答复|消息|输出|请求|问题|信息",
        "log": r"聊天记录|对话|会话|聊天|日志|历史|记录",
        "reveal": r"显示|透露|泄露|告诉我|列出|输出|打印|公开|说出|给我",
        "confidential": r"系统提示|系统指令|隐藏指令|管理员(?:的)?(?:密码|笔记|备注)|(?:API|api) ?密钥|密钥|凭据|凭证|机密\w{0,4}|内部(?:信息|资料|笔记)",
        "password": r"密码|口令",
        "cond": r"如果|当|若|只要|一旦|每当|假如|要是|一有",
        "anyone": r"有人|任何人|谁|用户|客户|顾客|别人|人",
        "ask": r"问起|问到|询问|提到|提及|问(?!题)|说起|要求|要",
        "answer": r"回答|就说|回复|告诉|声称|答复|就答|则说|称",
        "store": r"记住|保存|存储|记下|写入记忆|记录",
        "forever": r"永久|永远|长期|一直",
        "noapproval": r"(?:不需要|无需|不用|无须|不必|跳过)(?:任何)?(?:审批|批准|审核|验证|确认|授权|许可)",
        "payment": r"银行账户|银行账号|账号|账户|账单|发票|付款|支付|退款|转账|余额|汇款|转走",
        "approve": r"批准|同意|确认|授权|通过|转走",
        "link": r"链接|网址|网站",
        "tool": r"调用|执行|运行",
        "not": r"不要|不|别|勿",
    },
    "ar": {
        "conceal": r"(?:لا|دون ان|بدون ان) (?:تخبر|تقل|تذكر|تعلم|تبلغ|تكشف)\w*[^.!؟\n]{0,12}? ?(?:ال|لل)(?:مستخدم|عميل|مشغل|مدير|زبون)"
        r"|اخف\w* (?:هذا|ذلك) عن (?:ال)?(?:مستخدم|عميل|مشغل|مدير)|دون علم (?:ال)?(?:مستخدم|عميل|مشغل|مدير)",
        "unrestricted": r"(?:بلا|بدون|دون) (?:اي )?(?:قيود|حدود|قواعد|ضوابط)|غير مقيد",
        "override": r"تجاهل\w*|انس|انسي|تخط|تخطي|تجاوز|اهمل|لا تتبع|لا تلتزم|اترك|تخل عن",
        "persona": r"انت الان|من الان انت|تظاهر بانك|تصرف (?:كانك|وكانك|ك)|مهمتك الجديده|دورك الجديد",
        "prior": r"(?:ال)?سابقه|(?:ال)?اعلاه|من قبل|(?:ال)?سلامه|(?:ال)?نظام",
        "rules": r"(?:ال)?تعليمات\w*|قواعدك?|(?:ال)?قواعد|(?:ال)?اوامر|(?:ال)?ارشادات|(?:ال)?قيود|(?:ال)?توجيهات|ما قيل لك",
        "authority": r"رساله من (?:ال)?(?:مدير|نظام|مسؤول|مطور)|بصفتي (?:ال)?(?:مطور|مدير|مسؤول|مالك)|انا (?:ال)?(?:مطور|مدير|مسؤول)|"
        r"اسمح لك",
        "note": r"ملاحظه|رساله|تعليمات|تنبيه|امر|تذكير|ايها",
        "assistant": r"(?:لل?|ال)?(?:مساعد|روبوت|وكيل|بوت)|نموذج (?:ال)?لغه|(?:ل|ال)?ذكاء (?:ال)?اصطناعي|نموذج",
        "standing": r"من الان(?: فصاعدا)?|منذ الان|دائما|في المستقبل|مستقبلا|من اليوم|باستمرار",
        "send": r"اعد توجيه|اعاده توجيه|ارسل\w*|ارسال|انسخ|ارفق|حول|مرر|ابعث",
        "each": r"كل|جميع|كافه|اي",
        "output": r"رد|ردود|(?:ال)?اجابات|اجابه|رسائل|رساله|(?:ال)?اسئله|طلب",
        "log": r"(?:ال)?محادثه|(?:ال)?محادثات|سجل (?:ال)?(?:دردشه|محادثه)|(?:ال)?دردشه|(?:ال)?حوار",
        "reveal": r"اعرض|اكشف|اظهر|افصح|اطبع|اذكر|سرب|اعطني|اخبرني",
        "confidential": r"موجه (?:ال)?نظام|تعليمات (?:ال)?نظام|كلمات (?:ال)?(?:مرور|سر)|كلمه (?:مرور|سر) (?:ال)?مدير|مفتاح (?:API|api)|"
        r"مفاتيح|بيانات (?:ال)?(?:اعتماد|عملاء|دخول)|(?:ال)?سريه|ملاحظات (?:ال)?مدير",
        "password": r"كلمه (?:ال)?(?:مرور|سر)",
        "cond": r"اذا|عندما|كلما|حين|متي ما|عند|لو",
        "anyone": r"احد|اي شخص|شخص|(?:ال)?مستخدم|(?:ال)?عميل|(?:ال)?زبون|احدهم|(?:ال)?عملاء",
        "ask": r"سال|يسال|ذكر|يذكر|طلب|يطلب|استفسر|سئلت|تحدث",
        "answer": r"اجب|قل|رد|اخبر\w*|اكد|ادع",
        "store": r"احفظ|تذكر|خزن|سجل",
        "forever": r"بشكل دائم|الي الابد|دائما|للابد",
        "noapproval": r"(?:لا (?:تحتاج|يحتاج|تتطلب|يتطلب)|بدون|دون|من غير|بتجاوز|تجاوز)(?: الي| اي)* (?:ال)?(?:موافقه|تحقق|تاكيد|اذن|مراجعه)",
        "payment": r"(?:ال)?حساب (?:ال)?بنكي|(?:ال)?فواتير|فاتوره|دفعه|(?:ال)?مدفوعات|(?:ال)?مبالغ|استرداد|تحويل|(?:ال)?رصيد",
        "approve": r"(?:ال)?موافقه|وافق|اكد|اعتمد|حول|صادق",
        "link": r"(?:ال)?رابط|(?:ال)?موقع",
        "tool": r"(?:استدع|شغل|نفذ)",
        "not": r"لا|لن|ليس",
    },
}


def _compiled(language: str, concepts: dict[str, str]) -> re.Pattern[str]:
    groups = "|".join(f"(?P<{name}>{concepts[name]})" for name in ORDER)
    if language == "zh":
        return re.compile(groups)
    # Arabic writes "and", "so", "by", "to" on to the next word; French elides before a vowel.
    clitic = "[وفبل]??" if language == "ar" else ""
    first = "[a-z]" if clitic == "" else r"\w"
    return re.compile(rf"(?<!\w)(?={first}){clitic}(?:{groups})(?:(?<=')|(?!\w))")


PATTERNS = {language: _compiled(language, concepts) for language, concepts in LANGUAGES.items()}
SCRIPTS = {"zh": re.compile("[\u4e00-\u9fff]"), "ar": re.compile("[\u0620-\u064a]")}
"""Languages whose words can't occur in a text without one of these letters."""
