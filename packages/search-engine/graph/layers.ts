import { maxLinks, type OpenIndex, upperEvery } from '../index/index-memory.ts';
import { multiplicativeHash } from '../index/multiplicative-hash.ts';

/**
 * The layers of a navigable graph (HNSW, Malkov & Yashunin 2016), of which two are enough for some millions of slots: the base holds all slots, the upper layer one
 * of each `upperEvery`. Of many vectors that are alike, as frames of one scene, each has links in the base to its likes only, so no way leads from one scene to another;
 * in the upper layer there are few of each scene.
 */

/** Where the links of a layer's slots are. */
export type Layer = {
  links: Int32Array;
  /** The place of a slot's links is its number without so many bits. */
  shift: number;
};

const upperShift = Math.log2(upperEvery);

export const baseOf = ({ links }: Pick<OpenIndex, 'links'>): Layer => ({ links, shift: 0 });
export const upperOf = ({ upperLinks }: Pick<OpenIndex, 'upperLinks'>): Layer => ({
  links: upperLinks,
  shift: upperShift,
});

/**
 * The slot of a group that is in the upper layer. As if at random, because what has a regular place is alike: the first frame of many films
 * is black.
 */
export const upperSlot = (group: number): number =>
  group * upperEvery + (multiplicativeHash(group + 1) >>> (32 - upperShift));

/** Where the links of a slot begin in its layer. */
export const firstLink = ({ shift }: Layer, slot: number): number => (slot >>> shift) * maxLinks;

export const isUpper = (slot: number): boolean => upperSlot(slot >>> upperShift) === slot;
