"""Sentences to segments: words with their concepts, cut at connectors and punctuation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from journeyman.models.standin.words import CONCEPTS, lemma, word_set

DETERMINERS = word_set(
    "the a an its their your his this that each every any some no of another second first next"
    " closed own correct right whole in on into onto inside same target which whose held only"
)
ARTICLES = word_set("the a an its it their your this that these those them one some each")
# Verbs that are nouns after a determiner or a preposition.
_NOUN_TOO = word_set(
    "place light slice spot rest store box water target head microwave clean cool warm stack"
    " return search start drop load hold stop step cold hot cook chill position set stay grip"
    " piece heat pan press pull oven second switch keep move approach"
)
_ATTRIBUTES = word_set(
    "washed rinsed cleaned heated warmed cooked cooled chilled cold hot warm cool clean sliced cut"
    " chopped held carried closed open shut opened placed found stored hidden used stacked loaded"
    " intended wanted needed filled heating cooling cleaning washing treated hiding cutting"
)
_BARE_TOO = word_set("open cut clean cool warm shut")
_LYING = word_set("stored kept hidden tucked located concealed")
_THINGS = frozenset(
    {"THING", "FOOD", "CONTAINER", "VESSEL", "PLACE", "PIECE", "MICROWAVE", "FRIDGE", "DOOR"}
)
_LEADS = {
    "before": "before", "after": "after", "once": "after", "when": "while", "whenever": "while",
    "while": "while", "if": "after", "until": "until", "till": "until", "unless": "until",
    "without": "without", "then": "then", "afterwards": "then", "afterward": "then",
    "thereafter": "then", "next": "then", "otherwise": "else", "because": "because",
    "since": "because", "so": "so", "and": "and", "but": "and", "or": "and", "with": "with",
    "having": "after", "upon": "after", "whose": "with", "which": "so", "finally": "then",
    "subsequently": "then", "following": "after", "by": "and", "as": "while", "whereas": "and",
    "though": "and", "yet": "and", "later": "then", "although": "and", "during": "while",
    "else": "else",
}  # fmt: skip
_PHRASES: dict[tuple[str, ...], str] = {
    ("prior", "to"): "before",
    ("ahead", "of"): "before",
    ("by", "the", "time"): "before",
    ("as", "soon", "as"): "after",
    ("as", "long", "as"): "while",
    ("each", "time"): "while",
    ("every", "time"): "while",
    ("after", "that"): "then",
    ("after", "this"): "then",
    ("only", "then"): "then",
    ("only", "after"): "after",
    ("only", "once"): "after",
    ("only", "when"): "while",
    ("only", "if"): "while",
    ("only", "while"): "while",
    ("follow", "by"): "then",
    ("instead", "of"): "instead",
    ("rather", "than"): "instead",
    ("or", "else"): "else",
    ("in", "order", "to"): "goal",
    ("so", "that"): "so",
    ("precede", "by"): "after",
    ("no", "sooner", "than"): "after",
    ("no", "earlier", "than"): "after",
    ("not", "earlier", "than"): "after",
    ("not", "before"): "after",
    ("once", "more"): "",
}
_PUNCTUATION = word_set(", : — – -- ( )")


@dataclass
class Word:
    """A token with its base form and the concepts it stands for; ``noun`` where it is no verb."""

    raw: str
    lemma: str
    concepts: frozenset[str]
    noun: bool = False


@dataclass
class Segment:
    """Words between two connectors; ``lead`` says how it hangs together with the rest."""

    lead: str
    words: list[Word] = field(default_factory=list)


def words_of(tokens: Sequence[str]) -> list[Word]:
    """Tokens as words, with nouns told from verbs by what stands next to them."""
    words = [Word(token, base := lemma(token), CONCEPTS.get(base, frozenset())) for token in tokens]
    if not words:
        return words
    for before, word, after in zip([None, *words[:-1]], words, [*words[1:], None], strict=True):
        word.noun = _is_noun(before, word, after)
    return words


def is_thing(word: Word | None) -> bool:
    return word is not None and bool(word.concepts & _THINGS)


def _is_noun(before: Word | None, word: Word, after: Word | None) -> bool:
    determined = before is not None and before.raw in DETERMINERS
    if word.raw in _ATTRIBUTES and is_thing(after):
        if word.raw in _BARE_TOO:
            return determined
        return before is None or before.raw not in {"to", "not", "be", "been"}
    if word.raw.endswith("ed") and determined and is_thing(after):
        return True
    if word.raw in _LYING and is_thing(before):
        return True
    if word.lemma not in _NOUN_TOO or word.raw.endswith("ing"):
        return False
    carries_on = after is not None and after.lemma in {
        "be",
        "have",
        "of",
        "where",
        "must",
        "should",
    }
    return determined or (carries_on and not word.raw.endswith("ed") and before is not None)


def segments_of(words: Sequence[Word]) -> list[Segment]:
    """Cut a sentence at its connectors and at punctuation."""
    segments = [Segment("")]
    index = 0
    while index < len(words):
        lead, length = _lead(words, index)
        current = segments[-1]
        if words[index].lemma in _PUNCTUATION:
            if current.words:
                segments.append(Segment(","))
            elif current.lead == "":
                current.lead = ","
        elif lead:
            if current.words:
                segments.append(Segment(lead))
            elif current.lead in {"", ",", "and"} or lead not in {"and", "then"}:
                current.lead = lead
        else:
            current.words.append(words[index])
        index += length
    return [segment for segment in segments if segment.words]


def _is_named(words: Sequence[Word]) -> bool:
    return bool(words) and bool(words[0].concepts & {*_THINGS, "KNIFE", "LAMP", "SINK", "FAUCET"})


def _lead(words: Sequence[Word], index: int) -> tuple[str, int]:
    """The connector that begins at a word, if one does, and how many words it takes."""
    base = words[index].lemma
    following = [word.lemma for word in words[index : index + 3]]
    if base == "once" and index and words[index - 1].lemma == "at":
        return "", 1
    for length in (3, 2):
        lead = _PHRASES.get(tuple(following[:length]))
        if following[1:2] in (["that"], ["this"]) and _is_named(words[index + 2 : index + 3]):
            continue  # "after that drawer"
        if lead is not None:
            return lead, length if lead else 1
    after = following[1] if len(following) > 1 else ""
    before = words[index - 1].raw if index else ""
    if base == "to" and index == 0:
        return "goal", 1
    if base in {"next", "second"} and (before in DETERMINERS or after in {"to", "object", "one"}):
        return "", 1
    if base == "as" and after in {"the", "its", "a", "an", "in", "for", "well"}:
        return "", 1
    if base == "by" and after in {"the", "a", "its", "hand", "one", "light"}:
        return "", 1
    if base == "with" and after == "knife":
        return "", 1
    return _LEADS.get(base, ""), 1
