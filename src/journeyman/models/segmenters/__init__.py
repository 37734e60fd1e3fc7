"""Pictures to regions, by name: `embedded` without weights, SAM through transformers."""

from journeyman.models.segmenters.regions import Regions, Segmenter, boxes_of, distinct

__all__ = ["Regions", "Segmenter", "boxes_of", "distinct"]
