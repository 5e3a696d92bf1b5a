"""Spanish clauses worth keeping. Case is ignored, except in ``(?-i:…)``."""

from apps.extraction.languages import joined

_LEAD = joined(r"""
    ^(?:(?:desde|a partir de|en|por|para|como|los|las|al|de) [^,.;]{2,40}?, |
    (?:a partir de ahora|de ahora en adelante|normalmente|generalmente|siempre|nunca|ahora|ya|además|en general|
    los \w+|personalmente),? )?
""")
_ADVERB = joined(r"""
    (?:ya|no|nunca|siempre|sólo|solo|solamente|también|tampoco|casi|ahora|jamás|normalmente|suelo|me|lo|la|los|las|le|
    se)
""")
# The first person of verbs that tell how somebody lives.
_LIVE = joined(r"""
    (?:vivo|trabajo|tengo|uso|utilizo|como|bebo|tomo|hablo|estudio|conduzco|manejo|llevo|visto|viajo|duermo|juego|
    toco|corro|cocino|leo|escribo|fumo|monto|enseño|dirijo|gestiono|colecciono|cultivo|calzo|mido|peso|nací|crecí|
    prefiero|odio|detesto|adoro|evito|aguanto|soporto|tolero|consumo|compro|cobro|pago|madrugo|practico|entreno|
    nado|bailo|canto|pinto|coso|crío|cuido|administro|coordino|lidero|reparto|vendo|fabrico|produzco|alquilo|
    comparto|participo|colaboro|pertenezco|padezco|sufro|necesito (?=siempre|cada|silla|gafas|rampa)|
    quiero (?=siempre|que me .*siempre)|celebro|desayuno|ceno|almuerzo|camino|
    voy (?=(?:siempre|a pie|en bici|en bicicleta|cada|al trabajo|todos))|vengo de|
    paso (?=los|las|cada|el verano|el invierno)|respondo|acepto|firmo|abro|cierro|descanso|libro (?=los|el)|ahorro|
    hago (?=(?:yoga|deporte|turno|guardia|surf|pan|cerámica|teatro|la compra|copia))|
    puedo (?=(?:comer|beber|conducir|tomar|dormir|nadar|caminar|leer|trabajar|cargar))|
    sé (?=nadar|conducir|leer|tocar|programar|hablar|coser)|estoy (?=(?:embarazad|casad|divorciad|jubilad|separad|
    solter|a dieta|de baja|suscrit|en paro|en silla|opositando|aprendiendo|estudiando|preparando|ahorrando|
    acostumbrad))|soy (?!(?:yo|el rey|la reina|nuev[oa] aquí)\b)|era (?=alérg)|dejé (?:de|el|la)|
    empecé (?:a trabajar|en)|compré .* (?:año|enero|mayo)|perdí (?:mi|el|la)|vendí (?:mi|el)|
    me (?:jubilo|jubilé|casé|caso|mudé|mudo|operaron|rompí|divorcié|llamo|dedico|levanto|acuesto|desplazo|muevo|
    apellido|encargo|ocupo|mareo))
""")

SELF = joined(rf"""
    {_LEAD}(?:yo )?(?:{_ADVERB} )*(?:{_LIVE})(?<!soy) ?(?!(?:una? (?:pregunta|duda|problema|consulta|cita|reserva|
    pedido|queja|error|momento)|prisa|que[ ]|ganas|esto|eso|aquí|hambre|sueño|sed|frío|razón|idea|la impresión|
    el pedido|el número|mucho gusto|de acuerdo|seguro|si\b)\b)(?!.*\b(?:hoy|ahora mismo|ayer|mañana por|
    esta (?:noche|tarde|mañana)|en este momento)\b).*|{_LEAD}(?:yo )?me he (?:mudado|casado|jubilado|divorciado|
    cambiado|apuntado|operado)\b.*|{_LEAD}(?:a mí )?(?:no )?(?:me|nos) (?:gusta[n]?|encanta[n]?|molesta[n]?|
    sienta[n]?|va[n]? (?:mejor|bien|mal)|viene[n]? (?:mejor|bien|mal|fatal)|cae[n]? mal|
    da[n]? (?:miedo|alergia|asco|vértigo)|cuesta[n]?|duele[n]?|interesa[n]? (?:más|sobre todo)|apasiona[n]?|
    chifla[n]?|horroriza[n]?|marea[n]?|aburre[n]?|conviene[n]?|falta (?:un|una))\b (?!(?:esto|eso|esta|este|ese|esa|
    tu|su|vuestr\w+|cómo|que|la idea|esperar|repetir|el (?:azul|rojo|primero|segundo))\b).*|
    {_LEAD}(?:yo )?(?:he|hemos) (?:dejado de|vivido (?:siempre|desde)|crecido|nacido|
    sido (?:siempre|diagnosticad\w*))\b.*
""")

PREFER = joined(r"""
    ^(?:(?:ahora|a partir de ahora|siempre),? )?(?:yo )?prefiero (?!que me (?:llam|escrib|mand))(?!(?:el|la|los|
    las) (?:azul|roj|verde|negr|primer|segund|otr)\w*)(?!(?:el|la) (?:de las|tren de|vuelo de) )\S.*
""")

MINE = joined(r"""
    ^(?:todos? )?(?:mi|mis) (?!(?:\w+ )?(?:herman[oa]s?|marido|mujer|espos[oa]|madre|padre|mamá|papá|hij[oa]s?|
    colega|compañer[oa]|vecin[oa]|amig[oa]s?|abuel[oa]|novi[oa]|suegr[oa]|prim[oa]|tí[oa]|pedido|paquete|pregunta|
    duda|problema|cita|reserva|factura|pantalla|consulta|opinión)\b)(?:[\w-]+ ){1,5}?(?:es|son|tiene|tienen|está|
    están|se llama|se llaman|mide|pesa|empieza|termina|cumple|cae|funciona|necesita|va|vive|odia|
    come) (?!(?-i:[a-záéíóúñ]+)$)(?!(?:rot[oa]|mal|perdid[oa]|vací[oa]|que)\b)\S.*$|
    ^mi (?:jef[ea]|médic[oa]|dentista|abogad[oa]|contacto(?: de emergencia)?|gestor[a]?|tutor[a]?|profesor[a]?|
    encargad[oa]|supervisor[a]?) (?:es|se llama) .+$|^(?:el|la|los|las|lo) (?:[\w-]+ ){1,5}?(?:es mío|es mía|
    no es para mí|me (?:sienta|va|viene|da|gusta|encanta|molesta|cae|hace|produce|provoca|marea|aburre)n?)\b.*|
    ^lo (?:mejor|más fácil|ideal|más cómodo) (?:es|para mí es|sería) .*(?:me\b|\w+rme\b).*|
    ^(?:el|la) \w+ es mi (?:lengua|idioma|favorit\w+|color|comida|talla|pasión|único|única).*|
    ^en (?:mi )?casa (?:somos|tenemos|no|hay|usamos|comemos|hablamos) .*|
    ^tenemos (?:\w+ ){0,3}(?:hij[oa]s?|perr[oa]s?|gat[oa]s?|gallinas|jardín|niñ[oa]s|nietos|gemel[oa]s|coche|
    mascotas?)\b.*
""")

CONTACT = joined(r"""
    ^(?:por favor,? )?(?:(?:no )?(?:llámame|llámeme|llamadme|llámenme|me llame[ns]?|me llaméis|escríbame|escríbeme|
    escribidme|contácteme|mándeme|mándame|mandadme|envíame|envíeme|enviadme|respóndeme|respóndame|respondedme|
    contéstame|contésteme|trátame|tráteme|tutéame|tutéeme|avísame|avíseme|háblame|hábleme|me escrib\w+|me envíe\w*|
    me mande\w*|me trate\w*|me hable\w*|me ofrezca\w*) (?:.*\b)?(?:solo|sólo|después|antes|siempre|nunca|por|entre|
    a partir|al|en|de (?:usted|tú)|más|con|sin|cada)\b(?!.*\b(?:hoy|mañana por la|esta vez)\b).*|prefiero que me .*|
    (?:siempre|nunca|a partir de ahora|de ahora en adelante|en adelante),? .*\b(?:me|mí|conmigo|respuestas?|
    correos?|ventanilla|pasillo)\b.*|(?:sin|nada de|no quiero|no más) (?:más )?(?:emojis|llamadas|publicidad|
    boletín|boletines|tecnicismos|correos|newsletters?)\b.*)
""")

OURS = joined(r"""
    ^(?:(?:desde|a partir de|en|para|por|al|los|las|cada|
    con) [^,.;]{2,40}?,? )?(?:tod[oa]s? )?(?:nuestr[oa]s? (?!(?:hij|perr|gat|casa|piso|pedido|paquete|cita|
    tienda de campaña|coche|jardín|boda|vuelo|reserva|habitación|mesa)\w*)(?:[\w-]+ ){1,5}?(?:es|son|está|están|
    tiene|tienen|dura|cuesta|abre|cierra|debe|deben|va|van|vive|viven|usa|usan|corre|funciona|exige|caduca|empieza|
    termina|salen?|llegan?|vienen?|trabajan?|cobran?|pasan?|se)\b .+|
    (?:a partir de ahora|de ahora en adelante),? (?:las?|los?|el) (?:[\w-]+ ){1,5}?(?:es|son|tienen?|duran?|
    cuestan?)\b .+|(?:siempre|nunca) (?!me\b|he\b|más\b|había)\w+ \S.*|
    (?:nosotros )?(?:(?:ya|no|nunca|siempre|solo|sólo|solamente|también|tampoco|lo|la|los|las|les|os|se|
    nos) )*(?!(?:estamos|vamos|hemos|queremos|podemos|necesitamos|somos|seamos|fuimos|íbamos|éramos|esperamos|
    creemos|pensamos|buscamos|supongamos|digamos|imaginemos|hagamos|vivimos|tenemos|quedamos|llegamos|salimos|
    volvemos|vemos|sabemos|agradecemos|pedimos|pongamos)\b)\w+[aei]mos\b \S.*|
    (?:no )?tenemos (?:\w+ ){0,4}(?:emplead\w+|oficinas?|servidores?|clientes|polític\w+|reglas?|tiendas?|sedes?|
    contrato|licencias?|norma\w*|turnos?|plan)\b.*|(?:en (?:nuestr\w+ \w+|
    la (?:empresa|oficina|tienda|clínica|escuela)|mi (?:empresa|equipo|oficina|clínica|tienda))|aquí|
    entre nosotros),? (?!(?:está|hay un problema|hace|tiene)\b)\S+ .+|
    (?:cada|tod[oa]s? l[oa]s|ningún|ninguna|nadie) (?:\S+ ){1,8}?(?:debe[n]?|tiene[n]? que|necesita[n]?|se \w+|
    pasa[n]?|lleva[n]?|requiere[n]?|puede[n]?|va[n]?|dura[n]?|cuesta[n]?|es|son|trabaja[n]?|entra[n]?|
    sale[n]?)\b .*|(?:el|la|los|las) (?:\S+ ){1,9}?(?:deben?|tienen? que|no pueden?|no se|
    se (?:hacen?|pagan?|firman?|envían?|revisan?|guardan?|aprueban?|cierran?|abren?|publican?|devuelven?|entregan?|
    borran?)|l[oa]s? (?:firma|aprueba|revisa|paga|gestiona|lleva|decide|autoriza)n?|pasan? por|van? a nombre|
    requieren?|caducan?|cierra los|abre los|solo|sólo|está en (?-i:[A-Z])[\w'-]*|
    están en)\b(?!.*\b(?:mi|me|yo|hoy|ahora mismo)\b).+|hay que .+)$
""")
