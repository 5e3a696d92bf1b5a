"""Portuguese clauses worth keeping. Case is ignored, except in ``(?-i:…)``."""

from apps.extraction.languages import joined

_LEAD = joined(r"""
    ^(?:(?:desde|a partir d\w|em|no|na|por|para|como|aos|às|de) [^,.;]{2,40}?, |
    (?:a partir de agora|de agora em diante|normalmente|geralmente|agora|já|além disso|em geral|pessoalmente),? )?
""")
_ADVERB = r"(?:já|não|nunca|sempre|só|apenas|também|quase|agora|jamais|normalmente|me|o|a|os|as|se|ainda)"
# The first person of verbs that tell how somebody lives.
_LIVE = joined(r"""
    (?:moro|vivo|trabalho|tenho|uso|utilizo|como|bebo|tomo|falo|estudo|conduzo|dirijo|visto|viajo|durmo|jogo|toco|
    corro|cozinho|leio|escrevo|fumo|ando (?=de|a pé|sempre)|ensino|giro|coleciono|cultivo|calço|meço|peso|nasci|
    cresci|prefiro|odeio|detesto|adoro|evito|aguento|suporto|tolero|consumo|compro|cobro|pago|acordo|pratico|treino|
    nado|danço|canto|pinto|crio|cuido|administro|coordeno|lidero|vendo|fabrico|produzo|alugo|partilho|participo|
    pertenço|sofro|celebro|janto|almoço|caminho|vou (?=(?:sempre|a pé|de bicicleta|todos|para o trabalho))|venho de|
    passo (?=os|as|cada|o verão|o inverno|todos)|respondo|aceito|abro|fecho|poupo|gosto|
    faço (?=(?:yoga|ioga|desporto|turno|surf|pão|cerâmica|teatro|voluntariado|anos|cópia))|
    posso (?=(?:comer|beber|conduzir|tomar|dormir|nadar|andar))|sei (?=nadar|conduzir|ler|tocar|programar)|
    estou (?=(?:grávid|casad|divorciad|reformad|separad|solteir|de dieta|de baixa|desempregad|a aprender|a estudar|
    a preparar|a poupar|habituad|no (?:primeiro|segundo|terceiro|último)|na (?:universidade|reforma)))|
    sou (?!(?:eu|o rei|a rainha|nov[oa] aqui)\b)|deixei (?:de|o|a)|comecei (?:a trabalhar|em)|
    perdi (?:o|a) (?:meu|minha)|vendi (?:o|a) (?:meu|minha)|(?:me )?(?:reformei|casei|mudei|formei|divorciei|
    aposentei)(?:-me)?|chamo-me|me chamo|dedico-me|levanto-me|deito-me|desloco-me|enjoo)
""")

SELF = joined(rf"""
    {_LEAD}(?:eu )?(?:{_ADVERB} )*(?:{_LIVE}) ?(?!(?:uma? (?:pergunta|dúvida|problema|consulta|marcação|reserva|
    encomenda|pedido|queixa|erro|momento)|pressa|vontade|isto|isso|aqui|fome|sono|sede|frio|razão|ideia|de acordo|
    certeza|se\b)\b)(?!.*\b(?:hoje|agora mesmo|ontem|amanhã|esta (?:noite|tarde|manhã)|neste momento)\b).*|
    {_LEAD}(?:eu )?(?:não )?(?:me (?:incomoda|interessa mais|apaixona|custa|faz (?:mal|impressão|alergia)|
    dá (?:medo|jeito|sono))|(?:faz|fazem|dá|dão)-me (?:mal|alergia|dores|medo|jeito|sono|azia)|
    (?:custa|agrada|convém)-me)\b.*|{_LEAD}(?:(?:eu )?acabei de (?:me )?(?:mudar|casar|reformar)|
    (?:me mudei|mudei-me|mudei) (?:para|de))\b.*
""")

PREFER = joined(r"""
    ^(?:(?:agora|a partir de agora|sempre),? )?(?:eu )?prefiro (?!que me )(?!(?:o|a|os|as) (?:azul|vermelh|verde|
    pret|primeir|segund|outr)\w*)\S.*
""")

MINE = joined(r"""
    ^(?:todos )?(?:o |a |os |as )?(?:meus?|minhas?) (?!(?:\w+ )?(?:irmã|irmãos?|irmãs|marido|mulher|esposa|esposo|
    mãe|pai|pais|filh[oa]s?|colega|vizinh[oa]|amig[oa]s?|avó|avô|namorad[oa]|sogr[oa]|prim[oa]|ti[oa]|encomenda|
    pedido|pergunta|dúvida|problema|consulta|reserva|fatura|ecrã|opinião)\b)(?:[\w-]+ ){1,5}?(?:é|são|tem|têm|está|
    estão|chama-se|mede|pesa|começa|acaba|calha|agora é|precisa|vive|odeia|
    come) (?!(?-i:[a-záâãàéêíóôõúç]+)$)(?!(?:avariad[oa]|partid[oa]|mal|perdid[oa]|vazi[oa]|que)\b)\S.*$|
    ^(?:o |a )?(?:meu|minha) (?:chefe|médic[oa](?: de família)?|dentista|advogad[oa]|contacto(?: de emergência)?|
    gestor[a]?|professor[a]?|orientador[a]?) (?:é|chama-se) .+$|^(?:o|a|os|as) (?:[\w-]+ ){1,5}?(?:é meu|é minha|
    não é para mim|(?:faz|fazem|dá|dão|cansam?|enjoam?|incomodam?)-me|
    me (?:faz|fazem|dá|dão|cansam?|incomodam?))\b.*|^o (?:melhor|mais fácil|ideal) (?:é|para mim é|
    seria) .*\b\w*-?me\b.*|^(?:o|a) \w+ é (?:a minha|o meu) (?:língua|idioma|cor|comida|tamanho|paixão|únic[oa]|
    favorit\w+).*|^(?:em|na minha|cá em) casa (?:somos|temos|não|há|usamos|comemos|falamos) .*|
    ^temos (?:\w+ ){0,3}(?:filh[oa]s?|cães|cão|gat[oa]s?|galinhas|jardim|crianças|netos|gémeos|carro|
    cachorr[oa]s?)\b.*
""")

CONTACT = joined(r"""
    ^(?:por favor,? )?(?:(?:só )?(?:não )?(?:me )?(?:ligue|ligar|liguem|liga|contacte|contactem|escreva|escrevam|
    escreve|mande|mandem|manda|envie|enviem|envia|responda|respondam|responde|trate|tratem|trata|avise|avisem|chame|
    chamem|chama|fale|falem)(?:-me|[ ]para mim| pra mim)? (?:.*\b)?(?:só|depois|antes|sempre|nunca|por|entre|
    a partir|mensagem|em|com|sem|de|cada|sms|e-?mails?|cartas?|senhora?|dona|doutora?|você|
    tu)\b(?!.*\b(?:hoje|amanhã|desta vez)\b).*|(?:só )?me ligu?em? .*|prefiro que me .*|
    (?:sempre|nunca|a partir de agora|de agora em[ ]diante|de futuro),? .*\b(?:me|mim|comigo|respostas?|e-?mails?|
    janela|corredor)\b.*|(?:sem|nada de|não quero) (?:mais )?(?:emojis|chamadas|publicidade|newsletters?|jargão|
    e-?mails|ligações)\b.*)
""")

OURS = joined(r"""
    ^(?:(?:desde|a partir d\w|em|no|na|para|por|ao|aos|às|cada|com) [^,.;]{2,40}?,? )?(?:tod[oa]s )?(?:(?:o |a |os |
    as )?noss[oa]s? (?!(?:filh|cachorr|cão|gat|casa|encomenda|pedido|barraca|tenda|carro|jardim|voo|reserva|quarto|
    mesa)\w*)(?:[\w-]+ ){1,5}?(?:é|são|está|estão|tem|têm|dura|custa|abre|fecha|deve|devem|passa a|passou a|vai|vão|
    usa|usam|corre|funciona|exige|começa|acaba|saem?|chegam?|vêm|vem|trabalham?|cobram?|passam?)\b .+|
    (?:a partir de agora|de agora em diante|daqui em diante),? (?:as?|os?) (?:[\w-]+ ){1,5}?(?:é|são|têm?|passam? a|
    custam?|duram?)\b .+|(?:sempre|nunca) (?!me\b|mais\b|tinha\b|vi\b)\w+ \S.*|
    (?:nós )?(?:(?:já|não|nunca|sempre|só|apenas|também|o|a|os|as|lhes|nos) )*(?!(?:estamos|vamos|temos|queremos|
    podemos|precisamos|somos|fomos|íamos|éramos|esperamos|achamos|pensamos|procuramos|suponhamos|digamos|imaginemos|
    façamos|vivemos|ficamos|chegamos|saímos|voltamos|vemos|sabemos|agradecemos|pedimos|
    moramos)\b)\w+[aei]mos\b \S.*|(?:não )?temos (?:\w+ ){0,4}(?:empregad\w+|funcionári\w+|escritórios?|servidores?|
    clientes|polític\w+|regras?|lojas?|contrato|licenças?|turnos?|plano)\b.*|
    (?:n[oa] (?:noss\w+|minha|empresa|escritório|loja|clínica|escola|equipa|equipe)(?: \w+)?|aqui|entre nós|
    cá),? (?!(?:está|há um problema|faz|tem)\b)\S+ .+|(?:cada|tod[oa]s? [oa]s?|nenhum|nenhuma|
    ninguém) (?:\S+ ){1,8}?(?:deve[m]?|tem de|têm de|tem que|têm que|precisa[m]?|se \w+|passa[m]?|leva[m]?|
    requer(?:em)?|pode[m]?|vai|vão|dura[m]?|custa[m]?|é|são|trabalha[m]?|entra[m]?)\b .*|
    (?:o|a|os|as) (?:\S+ ){1,9}?(?:devem?|t[eê]m de|t[eê]m que|não podem?|
    são (?:feit|pag|assinad|enviad|revist|guardad|aprovad|publicad|devolvid|entregue)\w*|
    é (?:feit|pag|assinad|enviad|revist|guardad|aprovad)\w*|passam? por|requerem?|só|fecha a|fecha aos|abre a|
    abre aos|fica em (?-i:[A-Z])[\w'-]*|ficam? (?:em|no|na))\b(?!.*\b(?:meu|minha|me|eu|hoje)\b).+|é preciso .+)$
""")
