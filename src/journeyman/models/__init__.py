"""Chat models, embedders, and what stands around them: roles, the ledger, loading by name."""

from journeyman.models.embedders import (
    EndpointEmbedder,
    HashingEmbedder,
    SentenceTransformerEmbedder,
    UseM3Embedder,
)
from journeyman.models.endpoint import EndpointModel
from journeyman.models.function_calling import Conversation, ToolUse
from journeyman.models.ledger import Budget, Ledger, Price, Prices, Tally
from journeyman.models.loading import load_embedder, load_model, load_segmenter
from journeyman.models.options import ModelOptions
from journeyman.models.roles import ROLES, ModelRoles
from journeyman.models.tools import ToolFunction, ToolRefused

__all__ = [
    "ROLES",
    "Budget",
    "Conversation",
    "EndpointEmbedder",
    "EndpointModel",
    "HashingEmbedder",
    "Ledger",
    "ModelOptions",
    "ModelRoles",
    "Price",
    "Prices",
    "SentenceTransformerEmbedder",
    "Tally",
    "ToolFunction",
    "ToolRefused",
    "ToolUse",
    "UseM3Embedder",
    "load_embedder",
    "load_model",
    "load_segmenter",
]
