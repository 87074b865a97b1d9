"""Sentence vectors of everything that training reads, by all-MiniLM-L6-v2 (Reimers & Gurevych 2019, arXiv:1908.10084).

python embed_texts.py SOURCES WORK: reads the folders of `sources.json`, writes `texts.json` and `texts.npz` into WORK.
"""

import json
import pathlib
import sys

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from data import FIRST_TRAIN
from phrases import phrases_of
from sources import class_offsets, read_captions
from wordnet import Nouns

class SentenceEncoder:
    """Mean of MiniLM's token vectors, 384 dimensions, not normalised."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / 'tokenizer.json'))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(64)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(folder / 'onnx/model_quantized.onnx'), options)

    def pieces(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def encode(self, sequences, batch=64):
        """Vectors of lists of piece numbers: float32 [n, 384]."""
        out = np.zeros((len(sequences), 384), np.float32)
        order = np.argsort([len(s) for s in sequences], kind='stable')
        for start in range(0, len(order), batch):
            rows = order[start:start + batch]
            length = max(len(sequences[i]) for i in rows) + 2
            ids = np.zeros((len(rows), length), np.int64)
            for row, i in enumerate(rows):
                ids[row, :len(sequences[i]) + 2] = [101, *sequences[i], 102]
            mask = (ids > 0).astype(np.int64)
            hidden = self.session.run(None, dict(input_ids=ids, attention_mask=mask, token_type_ids=0 * ids))[0]
            out[rows] = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return out


def collect(sources):
    """All texts by what they are for; the classes of ImageNet with their names and kinds."""
    nouns = Nouns(sources['wordnet'])
    offsets = class_offsets(sources['imagenet_samples'])
    names = [nouns.synsets[offset][0][0] for offset in offsets]
    kinds = [nouns.kinds(offset) for offset in offsets]
    captions = read_captions(sources['flickr8k'])
    images = list(captions)
    rng = np.random.default_rng(0)
    # Of the training images alone, each phrase once with an image that it came from.
    phrases = {}
    for image in images[FIRST_TRAIN:]:
        for caption in captions[image]:
            phrases.update((phrase, None) for phrase in phrases_of(caption, rng))
    return {
        'caption': [text for texts in captions.values() for text in texts],
        'phrase': list(phrases),
        'class': names,
        'class with kinds': [', '.join([*nouns.synsets[o][0][:3], *k[:5]]) for o, k in zip(offsets, kinds)],
    }, {'images': images, 'kinds': kinds}


def main():
    sources = json.loads(pathlib.Path(sys.argv[1]).read_text())
    work = pathlib.Path(sys.argv[2])
    encoder = SentenceEncoder(sources['minilm'])
    texts, facts = collect(sources)
    vectors = {}
    for name, list_ in texts.items():
        unique = {text: row for row, text in enumerate(dict.fromkeys(list_))}
        embedded = encoder.encode([encoder.pieces(text) for text in unique])
        vectors[name] = embedded[[unique[text] for text in list_]].astype(np.float16)
        print(name, vectors[name].shape, flush=True)
    np.savez(work / 'texts.npz', **vectors)
    (work / 'texts.json').write_text(json.dumps({'texts': texts, **facts}))


if __name__ == '__main__':
    main()
