import { ApiError } from '../../../errors/api-error.ts';
import type { SignedInMember } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { OperationInput } from '../../operations/serve-operation.ts';
import { passwordsWithoutSlot } from './passwords-without-slot.ts';

type Asked = Pick<OperationInput<never>, 'request' | 'signal'> & { member: SignedInMember };

/**
 * Checks the password of the signed-in person, where there is one: an open browser must not be enough to take the account over. Wrong passwords
 * count as those of sign-ins do. Throws `forbidden` and `throttled`.
 */
export async function checkCurrentPassword(
  { signInLimits }: Dependencies,
  { request, signal, member }: Asked,
  password = '',
): Promise<void> {
  const { id, password_hash } = member.person;
  if (password_hash === null) return;
  const passwords = passwordsWithoutSlot({ request, signal });
  const isCorrect = await signInLimits.passwords.guard({ ip: request.ip, account: id }, async () =>
    (await passwords.verify(password, password_hash)) ? true : undefined,
  );
  if (!isCorrect) throw new ApiError('forbidden', 'The current password is wrong.');
}
