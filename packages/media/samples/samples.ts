import path from 'node:path';

/** A clip or photograph that a new user tries the service with, and what it is labelled with. */
type Sample = { name: string; creator: string; tags: string[] };

/** `files/README.md` says where they are from. */
export const samples = [
  { name: 'giraffes-in-the-savannah.mp4', creator: 'Sample films', tags: ['animals', 'africa'] },
  { name: 'lemurs-and-jaguars.mp4', creator: 'Sample films', tags: ['animals'] },
  { name: 'outback.mp4', creator: 'Sample films', tags: ['animals', 'australia'] },
  { name: 'hedgehog-and-chameleon.mp4', creator: 'Sample films', tags: ['animals'] },
  { name: 'ancient-walls.mp4', creator: 'Sample films', tags: ['buildings', 'travel'] },
  { name: 'golden-temple.mp4', creator: 'Sample films', tags: ['buildings', 'india'] },
  { name: 'evening-concert.mkv', creator: 'Sample films', tags: ['music'] },
  { name: 'bison.jpg', creator: 'Kurt Kaiser', tags: ['animals'] },
  { name: 'brandenburg-gate-at-dusk.jpg', creator: 'Evans1551', tags: ['buildings', 'travel'] },
  { name: 'hawa-mahal.jpg', creator: 'Janwiki', tags: ['buildings', 'india'] },
  { name: 'koala.jpg', creator: 'BurningWell', tags: ['animals', 'australia'] },
  { name: 'moose-in-a-meadow.jpg', creator: 'Ryan Hagerty', tags: ['animals'] },
] as const satisfies Sample[];

/** Where the file of a sample is. */
export const sampleFile = (name: string): string => path.join(import.meta.dirname, 'files', name);
