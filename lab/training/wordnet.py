"""Nouns of WordNet 3.0 (Miller 1995): names and kinds of the ImageNet classes."""

import pathlib

# Kinds so general that naming them says nothing about an image.
TOO_GENERAL = set('''entity physical_entity object whole artifact abstraction matter living_thing organism instrumentality
physical_object unit causal_agent chordate vertebrate placental eutherian craniate article ware structure construction equipment device
implement conveyance transport covering commodity consumer_goods container domestic_animal substance attribute instrumentation
hunting_dog working_dog sporting_dog toy_dog carnivore ungulate thing artefact being animate_thing part relation abstract_entity piece
measure unit_of_measurement psychological_feature event solid nutrient state'''.split())


class Nouns:
    """The file `data.noun`: synsets by their offsets."""

    def __init__(self, folder):
        self.synsets = {}
        for line in (pathlib.Path(folder) / 'data.noun').read_text('latin1').splitlines():
            if line.startswith(' '):
                continue
            fields, _, gloss = line.partition(' | ')
            fields = fields.split()
            count = int(fields[3], 16)
            words = [word.replace('_', ' ') for word in fields[4:4 + 2 * count:2]]
            at = 4 + 2 * count
            pointers = [fields[at + 1 + 4 * i:at + 5 + 4 * i] for i in range(int(fields[at]))]
            kinds = [offset for symbol, offset, _, _ in pointers if symbol in ('@', '@i')]
            self.synsets[fields[0]] = words, kinds, gloss.strip()

    def kinds(self, offset):
        """Names of what a synset is a kind of, the nearest first; one per level."""
        kinds, names = self.synsets[offset][1], []
        while kinds:
            words, kinds, _ = self.synsets[kinds[0]]
            if words[0].replace(' ', '_').lower() not in TOO_GENERAL:
                names.append(words[0])
        return names
