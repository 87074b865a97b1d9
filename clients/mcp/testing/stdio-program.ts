import { createClient } from '../../typescript/index.ts';
import { runStdio } from '../stdio.ts';

/** A program as agents start it: the tools over standard input and output, for the service and key of its arguments. */
const [url = '', key = ''] = process.argv.slice(2);
await runStdio({ client: createClient({ url, key }), version: '0.0.0', onError: console.error });
