import { useQuery } from '@tanstack/react-query';
import { pathOnMachine } from '../../contract/map-path.ts';
import { useStoredText } from '../lib/stored-state.ts';
import { pathMappingsOptions } from './sources.ts';

/** Which of the machines that mappings are for this one is; this browser remembers it. Empty: paths are those of the server. */
export function useMachine(): { machine: string; machines: string[]; choose: (machine: string) => void } {
  const { data = [] } = useQuery(pathMappingsOptions);
  const [stored, store] = useStoredText('machine of paths');
  const machines = [...new Set(data.map(({ name }) => name))];
  return {
    machines,
    // Its mappings may be gone.
    machine: machines.find((name) => name === stored) ?? '',
    choose: (machine) => store(machine === '' ? null : machine),
  };
}

/** A path of the server as this machine names it. */
export function useMachinePath(path: string): string {
  const { data = [] } = useQuery(pathMappingsOptions);
  return pathOnMachine(path, data, useMachine().machine);
}
