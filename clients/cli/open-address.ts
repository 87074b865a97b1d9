import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Context } from './context.ts';
import { CommandError } from './failures.ts';

/**
 * Shows an address in the browser: the one of `BROWSER` where that is set, otherwise that of the system.
 * @throws CommandError when there is none; the address is in its message
 */
export async function openAddress(address: string, { env, output }: Pick<Context, 'env' | 'output'>): Promise<void> {
  // What opens an address opens programs and files as well; hits hold addresses that the service wrote.
  if (!/^https?:/.test(address)) throw new CommandError(`This is no address of a page: ${address}`);
  output.say(`Opening ${address}`, 'dim');
  const chosen = env['BROWSER'] ?? '';
  try {
    if (chosen === '') {
      const { default: open } = await import('open');
      await open(address);
    } else {
      // Without a shell: nothing in the address is a command.
      const browser = spawn(chosen, [address], { stdio: 'ignore', detached: true });
      await once(browser, 'spawn');
      browser.unref();
    }
  } catch {
    throw new CommandError(`No browser could be started. Open this address: ${address}`);
  }
}
