import path from 'node:path';
import sharp from 'sharp';
import { encodeVideo } from '../packages/media/samples/draw-media.ts';

/** The file of a photograph in `e2e/pictures`. */
export const picture = (name: string): string => path.join(import.meta.dirname, 'pictures', `${name}.jpg`);

/** Width and height in pixels, frames a second, and seconds of each scene. */
type FilmOptions = { width: number; height: number; fps: number; seconds: number };

/**
 * Encodes a film whose camera moves slowly over photographs, one a scene.
 * @param names photographs in `e2e/pictures`, in the order of the scenes
 */
export async function makeFilm(file: string, names: string[], options: FilmOptions): Promise<void> {
  const { width, height, fps, seconds } = options;
  const frames = [];
  for (const [scene, name] of names.entries()) {
    // A tenth larger than the film, so that the camera has room.
    const [wide, high] = [Math.round(width * 1.1), Math.round(height * 1.1)];
    const large = await sharp(picture(name)).resize(wide, high, { fit: 'cover' }).removeAlpha().png().toBuffer();
    for (let i = 0; i < seconds * fps; i++) {
      const part = i / (seconds * fps);
      const place = { left: Math.round((wide - width) * part), top: Math.round((high - height) * (1 - part)) };
      const data = await sharp(large)
        .extract({ ...place, width, height })
        .raw()
        .toBuffer();
      frames.push({ image: { width, height, data }, pts: scene * seconds * fps + i });
    }
  }
  await encodeVideo(file, frames, options);
}
