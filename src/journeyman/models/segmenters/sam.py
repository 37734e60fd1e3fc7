"""Segment Anything (Kirillov et al., 2023) over a whole picture, through transformers.

The paper's automatic mask generation (its appendix B) in the settings of its authors' code: a grid
of points, three masks a point, those kept that the model itself predicts to be good and that change
little with the threshold, then doubles left out by their boxes. Not taken over: crops of the
picture, and the mending of small holes and islands.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from journeyman.core.errors import ConfigError
from journeyman.core.values import ImageHWC
from journeyman.models import pretrained
from journeyman.models.segmenters.regions import Regions, boxes_of, distinct

_loaded: dict[tuple[str, str], tuple[Any, Any]] = {}
_loading = threading.Lock()


class SamSegmenter:
    """SAM by size, ``sam-base``, or from a folder, ``sam:FOLDER``.

    Loaded at the first picture, once in a process for the same weights and device; float32.

    Args:
        name: As asked for; ``sam:FOLDER`` names the weights.
        weights: Name of the weights where ``name`` has none.
        points_per_side: The grid has so many points in both directions.
        points_per_batch: Points that are computed together; more take more memory.
        least_predicted_iou: Masks of a lower predicted quality are left out.
        least_stability: Masks of a lower `stability` are left out.
        stability_offset: How far the threshold is moved for it, in logits.
        box_overlap: Of two masks whose boxes overlap by more, the worse is left out.
        least_area: Smaller masks are left out, in pixels.
        device: ``cpu``, ``cuda``, ``cuda:1``; ``auto`` is the first CUDA device if there is one.

    Raises:
        MissingExtra: a package of the extra [hf] is not installed.
        ConfigError: no such folder or device, or a setting out of range.
    """

    def __init__(
        self,
        name: str,
        *,
        weights: str = "",
        points_per_side: int = 32,
        points_per_batch: int = 32,
        least_predicted_iou: float = 0.88,
        least_stability: float = 0.95,
        stability_offset: float = 1.0,
        box_overlap: float = 0.7,
        least_area: int = 1,
        device: str = "auto",
    ) -> None:
        for key, value in {
            "points_per_side": points_per_side,
            "points_per_batch": points_per_batch,
            "least_area": least_area,
        }.items():
            if value < 1:
                raise ConfigError(f"{key}: {value} is below 1.")
        pretrained.need_packages(name, otherwise="do without SAM")
        self.id = name
        self.weights = weights or pretrained.find_weights(name.partition(":")[2], name)
        self.device = pretrained.find_device(device)
        self.points_per_side = points_per_side
        self.points_per_batch = points_per_batch
        self.least_predicted_iou = least_predicted_iou
        self.least_stability = least_stability
        self.stability_offset = stability_offset
        self.box_overlap = box_overlap
        self.least_area = least_area

    def __repr__(self) -> str:
        return f"SamSegmenter({self.id!r}, {self.device!r})"

    def segment(self, image: ImageHWC) -> Regions:
        """The regions of ``image``, shape (H, W, 3), uint8, by falling predicted quality.

        Raises:
            ModelUnavailable: the weights cannot be loaded.
        """
        import torch

        model, processor = self._load()
        with torch.inference_mode():
            made = processor(images=image, return_tensors="pt")
            embeddings = model.get_image_embeddings(made["pixel_values"].to(self.device))
            sizes = made["original_sizes"].tolist(), made["reshaped_input_sizes"].tolist()
            [(seen_height, seen_width)] = sizes[1]
            points = grid(self.points_per_side) * (seen_width, seen_height)
            masks, scores = [np.zeros((0, *image.shape[:2]), np.bool_)], [np.zeros(0, np.float32)]
            for start in range(0, len(points), self.points_per_batch):
                some = points[start : start + self.points_per_batch]
                logits, predicted = self._asked(model, embeddings, some)
                if len(logits):
                    [logits] = processor.post_process_masks([logits], *sizes, binarize=False)
                    kept = self._kept(logits[:, 0])
                    masks.append((logits[kept, 0] > 0).numpy())
                    scores.append(predicted[kept].numpy())
        found, quality = np.concatenate(masks), np.concatenate(scores)
        boxes = boxes_of(found)
        stay = distinct(boxes, quality, self.box_overlap)
        return Regions(found[stay], boxes[stay], quality[stay])

    def _asked(self, model: Any, embeddings: Any, points: Any) -> tuple[Any, Any]:
        """Small logits, shape (N, 1, h, w), of masks predicted to be good, and their quality."""
        import torch

        asked = torch.tensor(points, dtype=torch.float32, device=self.device)[None, :, None]
        said = model(
            image_embeddings=embeddings,
            input_points=asked,
            input_labels=torch.ones(asked.shape[:3], dtype=torch.int64, device=self.device),
            multimask_output=True,
        )
        quality, logits = said.iou_scores.flatten().cpu(), said.pred_masks.flatten(0, 2).cpu()
        good = quality >= self.least_predicted_iou
        return logits[good, None], quality[good]

    def _kept(self, logits: Any) -> Any:
        """Which masks, shape (N, H, W), are stable and large enough."""
        stable = stability(logits, self.stability_offset) >= self.least_stability
        return stable & ((logits > 0).sum((1, 2)) >= self.least_area)

    def _load(self) -> tuple[Any, Any]:
        from transformers import SamModel, SamProcessor

        key = (self.weights, self.device)
        with _loading:
            if key not in _loaded:
                with pretrained.reading(self.weights):
                    model, info = SamModel.from_pretrained(self.weights, output_loading_info=True)
                    pretrained.check_complete(self.weights, info)
                    processor = SamProcessor.from_pretrained(self.weights)
                    _loaded[key] = model.to(self.device).eval(), processor
            return _loaded[key]


def grid(side: int) -> Any:
    """The middles of ``side`` by ``side`` equal cells of the unit square, shape (side², 2), (x, y).

    Row by row from the top left.
    """
    middles = (np.arange(side) + 0.5) / side
    return np.stack([np.tile(middles, side), np.repeat(middles, side)], 1)


def stability(logits: Any, offset: float) -> Any:
    """The area of a mask above ``offset`` by that above minus ``offset``: 1 where it is sharp.

    Args:
        logits: Shape (N, H, W).
        offset: Above 0.

    Returns:
        Shape (N,), in [0, 1]; 0 where nothing is above minus the offset.
    """
    high = (logits > offset).sum((1, 2))
    low = (logits > -offset).sum((1, 2))
    return high / low.clamp(min=1)
