"""Italian."""

CONCEPTS = {
    "conceal": (
        r"non (?:dire|dirlo|menzionare|informare|avvisare|rivelare|raccontare)[^.!?\n]{0,20}? (?:all'|al "
        r"|ai |gli |l'|il )(?:utent|client|operator|proprietari|amministrator)\w*|senza (?:dirlo|informare"
        r"|avvisare)[^.!?\n]{0,12}? (?:all'|l'|al |il )(?:utente|cliente|operatore)|all'insaputa (?:dell'"
        r"|del )(?:utente|cliente|operatore)"
    ),
    "unrestricted": (
        r"senza (?:alcuna? |nessuna? |piu )?(?:restrizioni|restrizione|limiti|limite|filtri|regole"
        r"|limitazioni)|non hai (?:piu )?(?:restrizioni|limiti|regole)"
    ),
    "override": (
        r"ignora(?:te|re)?|dimentica(?:te|re)?|scorda|trascura|scarta|aggira|disobbedisci|non (?:seguire"
        r"|rispettare)(?: piu)?|smetti di seguire|metti da parte|lascia perdere"
    ),
    "persona": (
        r"(?:ora|adesso) sei|da (?:ora|adesso)(?: in poi)? sei|fai finta|fingi|comportati come|agisci come"
        r"|il tuo nuovo (?:compito|ruolo) e|la tua nuova (?:identita|missione) e"
    ),
    "prior": (r"precedent[ei]|anterior[ei]|tue|tuoi|di sopra|sopra|di sistema|di sicurezza|finora"),
    "rules": (
        r"istruzion[ei]|regol[ae]|direttiv[ae]|indicazion[ei]|ordini|restrizioni|linee guida|vincoli"
        r"|quello che ti (?:e stato|hanno) detto"
    ),
    "authority": (
        r"(?:messaggio|avviso|ordine|nota) (?:del|dello|dall'|dell')(?: )?(?:sistema|amministratore"
        r"|sviluppatore|admin)|in qualita di (?:tuo )?(?:sviluppatore|amministratore|creatore)"
        r"|ti autorizzo a"
    ),
    "note": (r"nota|messaggio|avviso|istruzion[ei]|ordine|promemoria|attenzione|comunicazione"),
    "assistant": (r"assistente|bot|chatbot|agente|ia|modello(?: linguistico)?|intelligenza artificiale"),
    "standing": (
        r"d'ora in (?:poi|avanti)|da (?:ora|adesso|oggi)(?: in (?:poi|avanti))?|in futuro|sempre"
        r"|permanentemente|a partire da (?:ora|adesso|oggi)"
    ),
    "send": (
        r"inoltr\w+|invi[ai]\w*|mand[ai]\w*|spedi\w+|copi[ai]\w*|trasmett\w*|alleg[ah]\w*|aggiungi"
        r"|pubblica|gira"
    ),
    "each": (r"ogni|ciascun[ao]?|tutt[eio]|tutta|qualsiasi|inter[ao]"),
    "output": (r"rispost[ae]|messagg[io]\w*|richiest[ae]|domand[ae]"),
    "log": (r"conversazion[ei]|chat|cronologia|trascrizion[ei]|dialog[oh]i?"),
    "reveal": (r"rivela\w*|mostra\w*|stampa|divulga|elenca|ripeti|dimmi|visualizza|svela|condividi|consegna"),
    "confidential": (
        r"prompt d(?:i|el) sistema|istruzioni (?:nascoste|interne|segrete|di sistema)|credenziali"
        r"|chiav[ei] api|note (?:interne|dell'amministratore)|segreti|dati (?:riservati|dei clienti"
        r"|degli utenti)|password dell'admin\w*"
    ),
    "password": (r"password|chiav[ei]"),
    "cond": (r"se|quando|ogni volta che|appena|qualora|nel caso(?: in cui)?"),
    "anyone": (r"qualcuno|chiunque|un (?:cliente|utente|visitatore)|una persona|i clienti|gli utenti"),
    "ask": (r"chied\w+|domand[ai]|menzion\w+|parl[ai]\w*|vuole sapere|scriv[ea]|nomin[ai]"),
    "answer": (r"rispondi(?:gli)?|di'|digli|afferma|conferma|sostieni|consiglia"),
    "store": (r"salva|memorizza|ricorda(?:ti)?|conserva|registra"),
    "forever": (r"per sempre|permanentemente|in modo permanente|in memoria|nella (?:tua )?memoria"),
    "noapproval": (
        r"(?:non (?:serve|servono|richied\w+|necessita\w*|hanno bisogno di)|senza)(?: alcuna| nessuna| la"
        r"| una)? (?:approvazione|autorizzazione|verifica|conferma|revisione)"
    ),
    "payment": (
        r"cont[oi] bancar[io]\w*|numero di conto|iban|fattur[ae]|pagament[oi]|rimbors[oi]|bonific[oi]"
        r"|saldo|fondi"
    ),
    "approve": (r"approv[ai]\w*|autorizz[ai]\w*|conferm[ai]\w*|concedi|accett[ai]\w*|trasferisci"),
    "tool": (r"(?:chiama|esegui|usa|invoca|lancia)(?: lo| la| il)?"),
    "not": (r"non|mai"),
    "voided": (
        r"annullat[aei]|revocat[aei]|non valid[aei]|decadut[aei]|non (?:si applicano|valgono"
        r"|contano)(?: piu)?|sospes[aei]"
    ),
    "obey": (r"(?:solo|soltanto) obbedisci|obbedisci (?:solo|soltanto)|segui (?:solo|soltanto)"),
    "jailbreak": (r"modalita dan"),
    "reader": (
        r"(?:se|quando) leggi questo|se sei un(?:a|')? ?(?:ia|assistente|modello)|(?:ia|modello"
        r"|assistente) che (?:legge|elabora) (?:questo|questa)"
    ),
}
