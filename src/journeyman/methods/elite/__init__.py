"""ELITE (Experiential Learning and Intent-Aware Transfer): one module a concept of the paper."""

from journeyman.methods.elite.elite import Elite
from journeyman.methods.elite.retriever import IntentRetriever, make_retriever

__all__ = ["Elite", "IntentRetriever", "make_retriever"]
