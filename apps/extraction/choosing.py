"""Which extractor mines a project's traces."""

from django.conf import settings

from apps.extraction.adapters.llm import LLMExtractor
from apps.extraction.candidates import Conversation, Extraction, Extractor, ExtractorFailed
from apps.extraction.models import ExtractionSettings
from apps.extraction.prompt import VERSION
from apps.extraction.rules import RulesExtractor
from apps.facts.categories import Filing
from apps.inference.chat import model_choice
from apps.inference.errors import ModelNotConfigured


class MissingModel:
    """Stands in where a project chose a model that the operator no longer offers: every run fails and says so."""

    name, version = "llm", VERSION

    def __init__(self, code: str) -> None:
        self.code = code

    def extract(self, conversation: Conversation) -> Extraction:
        raise ExtractorFailed(self.code)


def extractor_for(chosen: ExtractionSettings, filing: Filing) -> Extractor:
    """The extractor of a project's settings; a model is told what the project offers."""
    if chosen.extractor == "rules":
        return RulesExtractor()
    try:
        choice = model_choice(chosen.model)
    except ModelNotConfigured as error:
        return MissingModel(error.code)
    return LLMExtractor(
        choice,
        timeout=settings.LLM_TIMEOUT,
        categories=filing.offered,
        addition=chosen.prompt_addition,
    )
