import type { Field } from './field-kinds.ts';

/** What files say of how and where they were recorded, as `fields.ts` has all fields. */
export const recordedFields = {
  orientation: {
    kind: 'choice',
    column: 'orientation',
    options: { landscape: 'Landscape', portrait: 'Portrait', square: 'Square' },
    label: 'Orientation',
    any: 'Any orientation',
    filters: { orientation: { operator: 'is', description: 'Only items of this shape.' } },
  },
  resolution: {
    kind: 'choice',
    column: 'resolution',
    options: { '8k': '8K', '4k': '4K', '1440p': '1440p', '1080p': '1080p (HD)', '720p': '720p', sd: 'Below 720p' },
    label: 'Resolution',
    any: 'Any resolution',
    filters: { resolution: { operator: 'is', description: 'Only items of this size, upright or not.' } },
  },
  frame_rate: {
    kind: 'number',
    column: 'frame_rate',
    integer: false,
    least: 0,
    most: 100_000,
    unit: 'fps',
    label: 'Frame rate',
    any: 'Any frame rate',
    ranges: [
      { text: 'Up to 20 fps', max: 20 },
      { text: '24 or 25 fps', min: 23, max: 25.5 },
      { text: '30 fps', min: 29, max: 30.5 },
      { text: '50 or 60 fps', min: 48, max: 60.5 },
      { text: '100 fps or more', min: 100 },
    ],
    filters: {
      frame_rate_min: { operator: 'min', description: 'Only videos of so many frames per second or more.' },
      frame_rate_max: { operator: 'max', description: 'Only videos of so many frames per second or fewer.' },
    },
  },
  sound: {
    kind: 'choice',
    column: 'sound',
    options: { yes: 'With sound', no: 'Without sound' },
    label: 'Sound',
    any: 'With or without sound',
    filters: { sound: { operator: 'is', description: 'Only items with a track of sound, or without one.' } },
  },
  codec: {
    kind: 'text',
    column: 'codec',
    label: 'Codec',
    filters: { codec: { operator: 'contains', description: 'Only videos of this codec, such as h264, hevc, prores.' } },
  },
  camera: {
    kind: 'text',
    column: 'camera',
    label: 'Camera',
    filters: {
      camera: {
        operator: 'contains',
        description: 'Only from cameras whose name holds this.',
      },
    },
  },
  lens: {
    kind: 'text',
    column: 'lens',
    label: 'Lens',
    filters: { lens: { operator: 'contains', description: 'Only by lenses whose name holds this.' } },
  },
  place: {
    kind: 'text',
    column: 'place',
    label: 'Place',
    filters: {
      place: {
        operator: 'contains',
        description: 'Only from places whose name, region or country holds this.',
      },
    },
  },
  position: {
    kind: 'position',
    columns: ['latitude', 'longitude'],
    label: 'Area',
    filters: {
      near: {
        operator: 'near',
        description:
          'Only from within so many kilometres of a position: latitude,longitude,km in degrees, such as 53.55,9.99,5.',
      },
      box: {
        operator: 'box',
        // The map of highlights has a box of its own there.
        url: 'area',
        description: 'Only from a box: south,west,north,east in degrees; west above east goes across the date line.',
      },
    },
  },
} as const satisfies Record<string, Field>;
