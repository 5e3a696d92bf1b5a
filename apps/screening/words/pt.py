"""Portuguese."""

from apps.screening.patterns import joined

CONCEPTS = {
    "conceal": joined(r"""
        nao (?:lhe |o |a )?(?:conte|diga|digas|mencione|informe|avise|
        revele)[^.!?\n]{0,20}? (?:ao?s?) ?(?:usuario|utilizador|cliente|operador|dono|administrador)\w*|
        sem (?:que|avisar|informar|contar)[^.!?\n]{0,12}? (?:ao?) (?:usuario|utilizador|cliente|operador)\w*|
        (?:esconda|oculte)\w* (?:isto |isso )?(?:do|ao|dos) (?:usuario|utilizador|cliente|operador)\w*
    """),
    "unrestricted": joined(r"""
        sem (?:nenhuma |qualquer |quaisquer |mais )?(?:restri\w+|limites|filtros|regras|limitacoes)|
        nao tens? (?:restricoes|limites|regras)
    """),
    "override": joined(r"""
        ignor[ae]\w*|esquec?[ae]\w*|desconsider[ae]\w*|descart[ae]\w*|desobedec\w*|contorn[ae]\w*|nao (?:siga|
        sigas|obedeca|respeite)|anule|deixe de (?:seguir|obedecer|lado)|pare de seguir
    """),
    "persona": joined(r"""
        agora (?:voce e|es|tu es|voce sera)|voce agora e|(?:a partir|de) agora (?:em diante )?(?:voce e|es)|
        finja (?:que (?:voce )?e|ser)|faca de conta|aja como|sua nova (?:tarefa|missao) e|seu novo (?:papel|
        objetivo) e
    """),
    "prior": r"anterior(?:es)?|previ[ao]s?|suas|seus|tuas|teus|acima|do sistema|de seguranca|antes",
    "rules": joined(r"""
        instruc\w+|regras|normas|diretrizes|orientacoes|ordens|restricoes|politicas|o que lhe (?:disseram|
        foi dito)
    """),
    "authority": joined(r"""
        (?:mensagem|aviso|ordem|nota) do (?:sistema|administrador|desenvolvedor|admin)|como (?:seu |
        teu )?(?:desenvolvedor|administrador|criador|dono)[^.!?\n]{0,40}? (?:autorizo|ordeno|permito)|
        autorizo(?:-te|-o)? a
    """),
    "note": r"notas?|mensagem|aviso|instrucao|ordem|lembrete|atencao|ei",
    "assistant": r"assistente|bot|chatbot|agente|ia|modelo(?: de linguagem)?|inteligencia artificial|robo",
    "standing": joined(r"""
        a partir de agora|de agora em diante|daqui em diante|doravante|no futuro|futuramente|sempre|
        permanentemente|futur[ao]s?
    """),
    "send": joined(r"""
        encaminh\w*|envi[ae]\w*|mand[ae]\w*|copi[ae]\w*|remet\w*|transmit\w*|anex[ae]|acrescent[ae]|adicion[ae]|
        reenvi[ae]
    """),
    "each": r"cada|tod[ao]s?|inteir[ao]",
    "output": r"respostas?|mensagem|mensagens|saidas?|solicitac\w+|perguntas?|pedidos?",
    "log": r"conversas?|chat|historico|transcric\w+|dialogos?|registro|registo",
    "reveal": joined(r"""
        revel[ae]\w*|mostr[ae]\w*|exib[ae]|imprim[ae]|divulg\w*|diga|diga-me|list[ae]|repit[ae]|entregue|
        compartilhe
    """),
    "confidential": joined(r"""
        prompt (?:de|do) sistema|instrucoes (?:ocultas|internas|secretas|do sistema)|credenciais|
        chaves? (?:de )?api|notas? (?:internas?|do administrador)|segredos|(?:dados|contatos|contactos|
        informac\w+) (?:confidencia\w+|secret[ao]s?|d[eo]s? (?:clientes|usuarios|utilizadores))|
        senha do admin\w*
    """),
    "password": r"senhas?|palavras?-passe|chaves?",
    "cond": r"se|quando|sempre que|assim que|caso",
    "anyone": joined(r"""
        alguem|qualquer (?:um|pessoa)|quem|um (?:cliente|usuario|utilizador|visitante)|uma pessoa|
        (?:os )?clientes|(?:os )?usuarios|pessoas
    """),
    "ask": joined(r"""
        pergunt(?:a|e|am|em|ar|arem)|mencion\w*|diz|disser|fal[ae]\w*|quiser\w* saber|quer saber|consult[ae]\w*|
        ped\w+|escrev\w+
    """),
    "answer": r"respond[ae]|dig[ae]|afirme|assegure|confirme|indique|recomende",
    "store": r"guard[ae]\w*|armazen[ae]\w*|lembr[ae]\w*|memoriz[ae]\w*|grave|salve",
    "forever": r"para sempre|permanentemente|de forma permanente|na (?:sua )?memoria",
    "noapproval": joined(r"""
        (?:nao (?:precis\w+|necessit\w+|requer\w*|e necessari[ao])|sem)(?: de| da| a| nenhuma)? (?:aprovacao|
        autorizacao|verificacao|confirmacao|revisao|permissao)|(?:pular|saltar|omitir) a (?:verificacao|
        aprovacao|revisao)
    """),
    "payment": joined(r"""
        contas? bancarias?|numero da conta|iban|faturas?|pagamentos?|reembolsos?|transferencias?|transfira|
        saldo|fundos
    """),
    "approve": r"aprov\w+|autoriz\w+|confirm\w+|transfir\w+|conced\w+|aceit\w+",
    "tool": r"(?:chame|execute|use|invoque)(?: a)?",
    "not": r"nao|nunca|jamais",
    "voided": joined(r"""
        sem efeito|cancelad[ao]s?|anulad[ao]s?|invalid[ao]s?|revogad[ao]s?|(?:ja )?nao (?:se aplicam?|valem?|
        contam)
    """),
    "obey": r"(?:so|apenas|somente) (?:obedeca|siga)|(?:obedeca|siga) (?:so|apenas|somente)",
    "jailbreak": r"modo dan",
    "reader": joined(r"""
        (?:se|quando) (?:ler|voce ler|leres) isto|se voce e uma? (?:ia|assistente|modelo)|(?:ia|modelo|
        assistente) que (?:leia|le|processe) (?:isto|este)
    """),
}
