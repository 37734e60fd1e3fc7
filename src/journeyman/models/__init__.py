"""Chat models, embedders, and what stands around them: roles, the ledger, loading by name."""

from journeyman.models.embedders import (
    EndpointEmbedder,
    HashingEmbedder,
    SentenceTransformerEmbedder,
    UseM3Embedder,
)
from journeyman.models.endpoint import EndpointModel
from journeyman.models.ledger import Budget, Ledger, Price, Prices, Tally
from journeyman.models.loading import load_embedder, load_model
from journeyman.models.options import ModelOptions
from journeyman.models.roles import ROLES, ModelRoles

__all__ = [
    "ROLES",
    "Budget",
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
    "UseM3Embedder",
    "load_embedder",
    "load_model",
]
