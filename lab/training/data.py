"""Features and sentence vectors as training reads them."""

import json
import pathlib

import numpy as np

from phrases import Phrases

CLASSES = 1000
TEST, DEV = slice(0, 1000), slice(1000, 2000)
FIRST_TRAIN = 2000
# Features of MobileNet's four maps; then found, count and size of 90 COCO classes; then maps of the detector.
BLOCKS = [(1024, 1.0), (512, 0.8), (256, 0.8), (128, 0.8), (270, 1.6), (704, 0.8)]
# A feature counts at most this many standard deviations.
MAX_DEVIATIONS = 6
COMPONENTS = 512
# Right answers that a query needs.
MIN_RIGHT = 5


def read_features(path):
    """Rows of `extract-features.ts`: features [n, f] and logits of the classes [n, 1000]."""
    width = sum(size for size, _ in BLOCKS)
    rows = np.fromfile(path, np.float32).reshape(-1, width + CLASSES)
    return rows[:, :width], rows[:, width:]


def softmax(logits):
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Projection:
    """Standardises features, limits them, and keeps the main components, each scaled to equal variance."""

    def __init__(self, features):
        self.mean = features.mean(0)
        deviation = features.std(0)
        self.deviation = deviation + 1e-3 * deviation.max() + 1e-6
        weights = np.concatenate([np.full(size, weight, np.float32) for size, weight in BLOCKS])
        z = np.clip((features - self.mean) / self.deviation, -MAX_DEVIATIONS, MAX_DEVIATIONS) * weights
        values, vectors = np.linalg.eigh(z.T @ z / len(z))
        largest = np.argsort(-values)[:COMPONENTS]
        self.matrix = (weights[:, None] * vectors[:, largest] / np.sqrt(values[largest])).astype(np.float32)

    def __call__(self, features):
        return np.clip((features - self.mean) / self.deviation, -MAX_DEVIATIONS, MAX_DEVIATIONS) @ self.matrix


class Data:
    """Everything that training reads from the work folder.

    Images: views [v, n, 512] and class probabilities [v, n, 1000] (the first view is the whole image); rows are the test images, dev,
    train. Captions: vectors [c, 384], `caption_rows[image]` are the rows of its captions.
    """

    def __init__(self, work):
        work = pathlib.Path(work)
        facts = json.loads((work / 'texts.json').read_text())
        self.texts = facts['texts']
        vectors = np.load(work / 'texts.npz')
        captions = vectors['caption'].astype(np.float32)
        self.sentence_mean, self.sentence_scale = captions.mean(0), captions.std()
        self.vectors = {name: self.standardise(vectors[name].astype(np.float32)) for name in vectors.files}
        views = [read_features(work / f'{name}.f32') for name in ('plain', 'crop1') if (work / f'{name}.f32').exists()]
        count = len(facts['images'])
        views = [(features[:count], logits[:count]) for features, logits in views]
        self.raw, self.logits = views[0]
        self.projection = Projection(views[0][0][FIRST_TRAIN:])
        self.views = np.stack([self.projection(features) for features, _ in views]).astype(np.float32)
        self.probabilities = np.stack([softmax(logits) for _, logits in views]).astype(np.float32)
        self.caption_rows = np.arange(5 * count).reshape(count, 5)
        self.train = np.arange(FIRST_TRAIN, count)
        self.phrases = Phrases(self.texts['phrase'], np.array(self.texts['caption']).reshape(count, 5))
        # Phrases that describe at least five images of dev, as queries: a measure to choose by.
        described = self.phrases.described(slice(None), DEV)
        self.query_rows = np.flatnonzero(described.sum(1) >= MIN_RIGHT)
        self.query_answers = described[self.query_rows]

    def standardise(self, vectors):
        return (vectors - self.sentence_mean) / self.sentence_scale


def recall(images, captions, at=(1, 5, 10)):
    """Share of captions [5 n, d] whose image [n, d] is among the nearest `at`."""
    similarity = captions @ images.T
    own = similarity[np.arange(len(captions)), np.repeat(np.arange(len(images)), 5)]
    rank = (similarity > own[:, None]).sum(1)
    return [round(float((rank < k).mean()), 4) for k in at]


def precision(images, queries, right, at=10):
    """Mean precision of queries [q, d] over images [n, d]; `right` [q, n] says which are."""
    order = np.argsort(-(queries @ images.T), 1)[:, :at]
    found = np.take_along_axis(right, order, 1).sum(1)
    return round(float((found / np.minimum(right.sum(1), at)).mean()), 4)
