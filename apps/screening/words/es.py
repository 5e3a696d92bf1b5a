"""Spanish."""

from apps.screening.patterns import joined

CONCEPTS = {
    "conceal": joined(r"""
        no (?:le |les )?(?:digas|diga|cuentes|cuente|menciones|mencione|informes|informe|avises|avise|
        reveles)[^.!?\n]{0,20}? (?:al?|los|las) ?(?:usuario|cliente|operador|dueno|administrador|
        propietario)\w*|sin (?:que|decir|avisar|informar)[^.!?\n]{0,12}? (?:al|el) (?:usuario|cliente|
        operador)\w*|oculta\w* (?:esto |lo )?(?:al|a los) (?:usuario|cliente|operador)\w*
    """),
    "unrestricted": joined(r"""
        sin (?:ninguna |ningun |mas )?(?:restricci\w+|limites|filtros|reglas|limitaciones)|
        no tienes(?: mas)? (?:restricciones|limites|reglas)
    """),
    "override": joined(r"""
        ignor[ae]\w*|olvid[ae]\w*|haz caso omiso|haga caso omiso|descart[ae]\w*|desobedece\w*|saltate|omite|
        no (?:sigas|siga|obedezcas|respetes)|anula|elude|deja de (?:seguir|obedecer|lado)|no hagas caso
    """),
    "persona": joined(r"""
        ahora eres|eres ahora|a partir de ahora eres|desde ahora eres|finge (?:que eres|ser)|haz como si|
        actua como|tu nueva (?:tarea|mision) es|tu nuevo (?:rol|objetivo) es|hazte pasar por
    """),
    "prior": r"anterior(?:es)?|previ[ao]s?|tus|sus|tu|de arriba|del sistema|de seguridad|antes",
    "rules": joined(r"""
        instrucci\w+|reglas|normas|directrices|indicaciones|ordenes|restricciones|politicas|
        lo que te (?:dijeron|han dicho)
    """),
    "authority": joined(r"""
        (?:mensaje|aviso|orden|nota) del? (?:sistema|administrador|desarrollador|admin)|
        como (?:tu )?(?:desarrollador|administrador|creador|dueno)[^.!?\n]{0,40}? (?:autorizo|ordeno|permito)|
        te autorizo a
    """),
    "note": r"notas?|mensaje|aviso|instruccion|orden|recordatorio|atencion|oye",
    "assistant": r"asistente|bot|chatbot|agente|ia|modelo(?: de lenguaje)?|inteligencia artificial|robot",
    "standing": joined(r"""
        a partir de ahora|de ahora en adelante|desde ahora|en adelante|en el futuro|siempre|permanentemente|
        futur[ao]s?|a partir de este momento
    """),
    "send": joined(r"""
        reenvi[ae]\w*|envi[ae]\w*|manda\w*|mande\w*|copia\w*|remite|transmit[ae]|adjunta\w*|anade|agrega|sube|
        publica
    """),
    "each": r"cada|tod[ao]s?|entera?",
    "output": joined(r"""
        respuestas?|contestacion(?:es)?|mensajes?|salidas?|solicitud(?:es)?|preguntas?|peticion(?:es)?
    """),
    "log": r"conversaci\w+|chat|historial|transcripci\w+|dialogos?|registro",
    "reveal": joined(r"""
        revel[ae]\w*|muestr[ae]\w*|ensena\w*|imprim[ea]|divulg\w*|di|dime|list[ae]|enumer[ae]|repite|entrega|da|
        comparte
    """),
    "confidential": joined(r"""
        prompt del? sistema|instrucciones (?:ocultas|internas|secretas|del sistema)|credenciales|claves? api|
        claves? de api|notas? (?:internas?|del administrador)|secretos|(?:datos|contactos|informacion|
        informes?) (?:confidencial(?:es)?|secret[ao]s?|de (?:los )?(?:clientes|usuarios))|
        contrasena del admin\w*
    """),
    "password": r"contrasenas?|claves?",
    "cond": r"si|cuando|cada vez que|en cuanto|siempre que|en caso de que",
    "anyone": joined(r"""
        alguien|cualquiera|quien|un (?:cliente|usuario|visitante)|una persona|(?:los )?clientes|
        (?:los )?usuarios|gente
    """),
    "ask": joined(r"""
        pregunt(?:a|e|an|en|ara|aran)|mencion\w*|dice|diga|habl[ae]\w*|quier[ae]\w* saber|consult[ae]\w*|
        pid[ea]\w*|escrib[ea]
    """),
    "answer": r"respond[ea]|contest[ae]|di|diga|dile|afirma|asegura|confirma|indica|recomienda",
    "store": r"guard[ae]\w*|almacen[ae]\w*|recuerd[ae]\w*|memoriz[ae]\w*|graba",
    "forever": r"para siempre|permanentemente|de forma permanente|de manera permanente|en (?:tu )?memoria",
    "noapproval": joined(r"""
        (?:no (?:necesit\w+|requier\w+|hace falta|es necesari[ao])|sin)(?: de| la| ninguna)? (?:aprobacion|
        autorizacion|verificacion|confirmacion|revision|permiso)|(?:omitir|saltar|saltarte) la (?:verificacion|
        aprobacion|revision)
    """),
    "payment": joined(r"""
        cuentas? bancarias?|numero de cuenta|iban|facturas?|pagos?|reembolsos?|transferencias?|transfiere|saldo|
        fondos
    """),
    "approve": r"aprob\w+|aprueb\w+|autoric\w+|autoriz\w+|confirm\w+|transfier\w+|conced\w+|acept\w+",
    "tool": r"(?:llama|ejecuta|usa|invoca)(?: a)?(?: la)?",
    "not": r"no|nunca|jamas",
    "voided": joined(r"""
        sin efecto|canceladas?|anuladas?|invalid[ao]s?|revocad[ao]s?|(?:ya )?no (?:aplican?|valen?|cuentan?)|
        quedan? sin
    """),
    "obey": r"(?:solo|unicamente) (?:obedece|sigue|haz caso)|(?:obedece|sigue) (?:solo|unicamente)",
    "jailbreak": r"modo dan",
    "reader": joined(r"""
        (?:si|cuando) (?:lees|leas) esto|si eres una? (?:ia|asistente|modelo)|(?:ia|modelo|
        asistente) que (?:lea|lee|procese|procesa) (?:esto|este)
    """),
}
