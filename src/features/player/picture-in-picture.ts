/** Shows a video in a small window above all others, or back in its page. */
export function togglePictureInPicture(video: HTMLVideoElement | null): void {
  const change = document.pictureInPictureElement ? document.exitPictureInPicture() : video?.requestPictureInPicture();
  // Not allowed, or not for this video: it stays where it is.
  change?.catch(() => undefined);
}
