import { hashPassword, verifyPassword } from '../../../platform/crypto/passwords.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import type { OperationInput } from '../../operations/serve-operation.ts';
import { networkOf } from '../../protocol/networks.ts';

/**
 * Hashes and verifies passwords in the turn of the client's network. The request has no slot meanwhile, so that other requests of the
 * network need not wait.
 */
export function passwordsWithoutSlot({ request, signal }: Pick<OperationInput<never>, 'request' | 'signal'>) {
  const asker = { network: networkOf(request.ip), signal };
  return {
    hash: (password: string) => withoutSlot(request, () => hashPassword(password, asker)),
    verify: (password: string, stored: string | null) =>
      withoutSlot(request, () => verifyPassword(password, stored, asker)),
  };
}
