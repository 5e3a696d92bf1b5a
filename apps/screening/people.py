"""Names of people in a text, by rule: titles, kinship and friends, who is called what, who is asked or told, and given
names that are common in several countries. No model, no database.

It is made for holding something back until a person has looked: what it marks is mostly a name (docs/privacy.md has the
figures), and it misses rare names without a cue, names in small letters, and most in scripts without capitals.
"""

import re
from collections.abc import Iterator

_WORD = r"(?:[A-ZÀ-ÖØ-ÞĀ-ŽА-ЯЁΑ-Ω][\w'’]*(?:-[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’]*)*)"
_PART = r"(?:(?:de|da|dos|del|della|di|la|le|van|der|den|von|zu|bin|al|ibn|Mc|Mac|O['’])[ ]?){0,2}"
_NAME = rf"{_WORD}(?:[ ](?:[A-Z]\.[ ])?{_PART}{_WORD}){{0,3}}"
_TITLE = (
    r"(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Madam|Herr|Herrn|Frau|Señora?|Sra?|Don|Doña|Madame|Monsieur|Mme|Mlle"
    r"|Senhora?|Dona|Signora?|г-н|г-жа)\.?"
)
_KIN = (
    r"(?:wife|husband|spouse|partner|son|daughter|mother|mom|mum|father|dad|brother|sister|aunt|uncle|cousin|niece|nephew"
    r"|grandmother|grandfather|grandma|grandpa|friend|colleague|coworker|boss|manager|neighbou?r|flatmate|roommate|girlfriend"
    r"|boyfriend|fianc[ée]e?|doctor|teacher|therapist|lawyer|assistant|client|Frau|Mann|Sohn|Tochter|Mutter|Vater|Bruder"
    r"|Schwester|Freund(?:in)?|Kolleg(?:e|in)|Chef(?:in)?|Nachbar(?:in)?|femme|mari|fils|fille|mère|père|frère|sœur|amie?"
    r"|collègue|voisine?|esposa|esposo|marido|mujer|hij[oa]|madre|padre|herman[oa]|amig[oa]|jef[ea]|veci(?:n[oa])|mãe|pai"
    r"|filh[oa]|irm(?:ão|ã)|chefe)"
)
_CALLED = r"(?:(?:is|was|are|am)[ ])?(?:called|named|(?:name|Name)[ ](?:is|ist|lautet)|heißt|heisst|s['’]appelle|se[ ]llama|(?:se[ ])?chama)"
_ASKED = (
    r"(?:[Aa]sk(?:ed|s)?|[Tt]old|[Tt]ell|[Mm]et|[Mm]eet(?:s|ing)?(?:[ ]with)?|[Ee]mail(?:ed)?|[Pp]hone[d]?|[Tt]hank(?:s|ed)?(?:[ ]to)?"
    r"|[Ss]p(?:oke|eak|oken)[ ](?:to|with)|[Tt]alk(?:ed|s)?[ ](?:to|with)|married(?:[ ]to)?|[Ww]rite[ ]to|[Cc]ontact(?:ed)?"
    r"|[Ff]rag(?:e|t|en)?|[Dd]emande[rz]?[ ]à|[Pp]regunt[ae][ ]a|[Ww]aiting[ ]for|[Rr]eports?[ ]to)"
)
# Common ones; those that are words, months or places too stand only with a second name.
GIVEN = frozenset(
    """
    Adam Adrian Ahmed Aisha Alejandro Alessandro Alex Alexander Alexandra Ali Alice Amanda Amelia Amir Amy Ana
    Anders Andrea Andreas Andrew Andrzej Angela Anika Anita Anja Anna Anne Annika Anton Antonio Antoine Arjun Astrid
    Aylin Barbara Beatriz Ben Benjamin Bernd Bianca Birgit Boris Brian Bruno Camille Carla Carlos Carmen Caroline
    Catherine Cecilia Chen Chloé Christian Christina Christine Christopher Claire Clara Claudia Clément Cristina
    Daniel Daniela David Deborah Denise Diego Diana Dieter Dmitri Dominik Dorothea Eduardo Elena Eleanor Elias Elif
    Elizabeth Emma Emily Enrique Eric Erik Esther Ethan Eva Fatima Felix Fernando Filip Fiona Francesca Francesco
    Franz Frederik Friedrich Gabriel Gabriela George Gerhard Giulia Giovanni Greta Guillaume Gustav Hana Hannah Hans
    Harry Hassan Heike Heinrich Helen Helena Helga Henri Henrik Hiroshi Hugo Ibrahim Igor Ines Ingrid Irina Isabel
    Isabella Ivan Jack Jacob Jakob James Jan Jana Jane Javier Jean Jennifer Jens Jessica Joanna João Joachim Johan
    Johanna John Jonas José Joseph Joshua Juan Judith Julia Julian Julie Jürgen Karen Karim Karin Karl Katarina
    Katharina Kathrin Katja Kenji Kevin Klaus Kofi Kristina Lars Laura Laurent Lea Leila Léa Lena Leo Leon Leonardo
    Lisa Lorenzo Louis Louise Lucas Lucía Lucy Luis Luisa Łukasz Luka Magdalena Mahmoud Manuel Manuela Marco Marcos
    Margaret Maria María Mariana Marie Marina Mario Marta Martha Martin Martina Mateo Mathieu Matthew Matthias Max
    Mehmet Mei Melanie Michael Michelle Miguel Mikhail Miriam Mohamed Mohammed Monika Muhammad Nadia Natalia Natasha
    Nathalie Nicole Nikolai Nina Noah Nora Oksana Olaf Olga Oliver Olivia Omar Oscar Otto Pablo Paola Patricia
    Patrick Paul Paula Paulo Pavel Pedro Peter Petra Philipp Pierre Priya Rachel Rafael Rahul Raj Ravi Rebecca
    Renate Ricardo Richard Robert Roberto Samantha Samira Samuel Sandra Sanjay Sara Sarah Sebastian Sergei Sergio
    Simone Sofia Sophia Sophie Stefan Stefanie Stephanie Stephen Steven Susan Sven Svetlana Takashi Tariq Tatiana
    Teresa Theo Thomas Tim Timothy Tobias Tomás Tomasz Ursula Uwe Valentina Vanessa Vera Veronika Viktor Vincent
    Vladimir Walter Werner William Wolfgang Xavier Yasmin Yuki Yusuf Zainab Zoe Zoé Zofia Анна Елена Иван Мария
    Наталья Ольга Сергей Татьяна
    """.split()  # noqa: SIM905  (as a list it is a line a word)
)
_FIRST = rf"(?:{'|'.join(sorted(GIVEN, key=len, reverse=True))})"
_FOUND = re.compile(
    rf"(?<![\w@./-])(?:{_TITLE}[ ](?P<titled>{_PART}{_NAME})|{_KIN},?[ ](?:{_CALLED}[ ]|is[ ]|ist[ ])?(?P<kin>{_NAME})"
    rf"|(?:{_CALLED})[ ](?P<called>{_NAME})|{_ASKED}[ ](?P<asked>{_WORD}[ ]{_PART}{_WORD})"
    rf"|(?P<given>{_FIRST}(?:-{_WORD})?(?:[ ](?:[A-Z]\.[ ])?{_PART}{_WORD}){{0,3}}))(?![\w@]|\.\w)"
)
# Capitals that are no names: days, months, what begins a sentence or is the product's.
_NOT = frozenset(
    """
    I A An The This That It We You They He She Monday Tuesday Wednesday Thursday Friday Saturday Sunday January
    February March April May June July August September October November December Montag Dienstag Mittwoch
    Donnerstag Freitag English German French Spanish Portuguese Acme Google Microsoft Amazon Apple Support Sales
    Billing Human Customer Team Slack Zoom GmbH Inc Ltd LLC Corp Bank Street University Hospital Berlin London Paris
    Madrid Lisbon Ask Tell Is In On At And Or If My Our Your
    """.split()  # noqa: SIM905  (as a list it is a line a word)
)
_BUSINESS = re.compile(
    r"\b(?:GmbH|AG|Inc|Ltd|LLC|Corp|Bank|University|Hospital|Street|Team|Project|Support|Airlines|Group|Studio)\b"
)
_SELF = re.compile(
    rf"(?:[Cc]all[ ]me|[Mm]y[ ]name[ ]is|[Nn]ame[ ]is|[Gg]oes[ ]by|(?:[Ii]s|[Bb]e)[ ]called|[Ii]ch[ ]hei(?:ß|ss)e|[Jj]e[ ]m['’]appelle|[Mm]e[ ]llamo"
    rf"|[Mm]i[ ]nombre[ ]es|[Mm]eu[ ]nome[ ]é|[Mm]e[ ]chamo|[Mm]ein[ ]Name[ ]ist)[ ](?P<own>{_NAME})"
)


def people(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each name that a rule finds, from left to right, none in another."""
    at = 0
    while match := _FOUND.search(text, at):
        kind = match.lastgroup or "given"
        start, end = match.span(kind)
        name = match[kind]
        if name.split()[0] in _NOT or _BUSINESS.search(name):
            # A capital that is no name; what follows may be one.
            at = start + 1
            continue
        yield start, end
        at = end


def own_names(text: str) -> list[str]:
    """What somebody says that she is called."""
    return [match["own"] for match in _SELF.finditer(text) if match["own"].split()[0] not in _NOT]
