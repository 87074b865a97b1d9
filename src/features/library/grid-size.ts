import { usePersonKey } from '../../api/workspace-key.ts';
import { useStoredText } from '../../lib/stored-state.ts';
import { gridSizes, limitSize } from './row-height.ts';

/** The size of the library's pictures, which this browser keeps for each person, and how to change it. */
export function useGridSize(): [size: number, change: (size: number) => void] {
  const [text, store] = useStoredText(`grid-size of ${usePersonKey()}`);
  const size = limitSize(Number(text ?? gridSizes.usual) || gridSizes.usual);
  return [size, (next) => store(String(Math.round(limitSize(next))))];
}
