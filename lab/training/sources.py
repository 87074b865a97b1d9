"""Reads the data that training uses."""

import pathlib


def read_captions(folder):
    """Captions of Flickr8k by image: the test images first, then dev, train, and those of no split. Five texts each."""
    folder = pathlib.Path(folder)
    captions = {}
    for line in (folder / 'Flickr8k_text/Flickr8k.token.txt').read_text('utf8').splitlines():
        key, text = line.split('\t', 1)
        captions.setdefault(key.split('#')[0], []).append(text)
    splits = [(folder / f'Flickr8k_text/Flickr_8k.{split}Images.txt').read_text().split() for split in ('test', 'dev', 'train')]
    present = {path.name for path in (folder / 'images').iterdir()}
    order = dict.fromkeys([name for split in splits for name in split] + sorted(captions))
    return {name: captions[name] for name in order if name in present}


def class_offsets(folder):
    """WordNet offsets of the 1,000 ImageNet classes in the order of the classifier (that of their identifiers)."""
    return sorted(path.name[1:9] for path in pathlib.Path(folder).glob('n*.JPEG'))
