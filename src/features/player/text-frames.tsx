import type { BoxedText } from '../../lib/found-text.ts';

/** So far outside of the letters a frame is drawn, as a part of the picture's height. */
const margin = 0.008;
/** A text that was seen in one frame only is framed for so many seconds at least. */
const leastSeconds = 0.5;
/** The time of a frame is rounded, and may be a little before that of the text. */
const tolerance = 0.02;

/** The texts that a video shows at a time, seconds. */
export const textsAt = (texts: readonly BoxedText[], time: number): BoxedText[] =>
  texts.filter(({ start, end }) => time >= start - tolerance && time <= Math.max(end, start + leastSeconds));

/**
 * Frames around texts in a picture, for some seconds. They lie over an element that shows the picture as `object-fit: contain` does, which the
 * default aspect ratio of SVG (`xMidYMid meet`) is.
 * @param size pixels of the picture as displayed; 0 as long as they are not known
 * @param scale how much the picture is enlarged, which must not thicken the lines
 */
export const TextFrames = ({
  texts,
  size: { width, height },
  scale = 1,
}: {
  texts: readonly BoxedText[];
  size: { width: number; height: number };
  scale?: number;
}) =>
  width === 0 || texts.length === 0 ? null : (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      className="pointer-events-none absolute inset-0 size-full overflow-hidden"
    >
      {texts.map(({ start, box }) => {
        const place = {
          x: box.x * width - margin * height,
          y: box.y * height - margin * height,
          width: box.width * width + 2 * margin * height,
          height: box.height * height + 2 * margin * height,
          fill: 'none',
          vectorEffect: 'non-scaling-stroke',
        };
        return (
          // Light in dark, so that it is seen over any picture.
          <g key={JSON.stringify([start, box])} className="text-frame">
            <rect {...place} stroke="rgb(0 0 0 / 0.7)" strokeWidth={6 / scale} />
            <rect {...place} stroke="#ffd84d" strokeWidth={2.5 / scale} data-text-frame />
          </g>
        );
      })}
    </svg>
  );
