import type { z } from 'zod';

/** What a value must be, by zod's name of its type. */
const typeNames: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const formatMessages: Record<string, string> = {
  email: 'must be an e-mail address',
  url: 'must be a URL',
  uuid: 'must be an identifier (UUID)',
  datetime: 'must be a time (RFC 3339)',
};

/** How a length or a value is counted, by zod's name of its type: `at least 2 characters`. */
const formatCount = (origin: string, amount: number | bigint): string => {
  const unit = { string: 'character', array: 'entry', object: 'member' }[origin];
  if (unit === undefined) return String(amount);
  const plural = unit === 'entry' ? 'entries' : `${unit}s`;
  return `${amount} ${amount === 1 ? unit : plural}`;
};

/**
 * Says in plain words what is wrong with a value, to follow on its path: `body.name is required`. Used for every schema of the
 * contract that has no words of its own.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_small': {
      const has = issue.origin === 'string' || issue.origin === 'array' || issue.origin === 'object';
      if (has && issue.minimum === 1) return 'must not be empty';
      return `must ${has ? 'have' : 'be'} ${issue.inclusive === false ? 'more than' : 'at least'} ${formatCount(issue.origin, issue.minimum)}`;
    }
    case 'too_big': {
      const has = issue.origin === 'string' || issue.origin === 'array' || issue.origin === 'object';
      return `must ${has ? 'have' : 'be'} ${issue.inclusive === false ? 'less than' : 'at most'} ${formatCount(issue.origin, issue.maximum)}`;
    }
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(issue.values.map(String))}`;
    case 'invalid_format':
      return formatMessages[issue.format] ?? 'is not of the right form';
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map((key) => `\`${key}\``).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      if (issue.input === undefined) return 'is required';
      return 'is of none of the kinds that are taken here';
  }
}
