/** The sample clips and images, by their file names. Apart from the code that draws them, so that the service can ask for one. */
export const sampleNames = [
  'Sunset over the sea.mp4',
  'Red balloon in a blue sky.mp4',
  'City lights at night.mp4',
  'Green hills.mp4',
  'Checkerboard in motion.mp4',
  'Snowfall.mp4',
  'Three scenes.mp4',
  'Harbour with subtitles.mkv',
  'Strawberry on white.jpg',
  'Forest.jpg',
  'Black and white stripes.png',
  'Purple dusk.webp',
] as const;

export type SampleName = (typeof sampleNames)[number];
