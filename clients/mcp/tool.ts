import type {
  CallToolResult,
  ContentBlock,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Client } from '../typescript/index.ts';
import { describeFailure, isExpected } from './failures.ts';

/** What an answered call gives: text, images and links for the model, and the same as fields for programs. */
export type Answer<Output> = { content: ContentBlock[]; structuredContent: Output };

/** The client that a call uses, and the signal that ends it. */
export type Call = {
  client: Client;
  /** Aborts when the agent cancels the call or goes away. */
  signal: AbortSignal;
  context: ServerContext;
};

type Tool<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  annotations: ToolAnnotations;
  run: (input: z.output<Input>, call: Call) => Promise<Answer<z.output<Output>>>;
};

/**
 * Makes a function that adds a tool to a server. A failure is an answer with `isError`, which the model reads; an unexpected one is
 * told to `onError` as well.
 */
export const defineTool =
  <Input extends z.ZodObject, Output extends z.ZodObject>({
    name,
    title,
    description,
    input,
    output,
    annotations,
    run,
  }: Tool<Input, Output>) =>
  (server: McpServer, client: Client, onError: (error: unknown) => void): void => {
    const answer = async (given: unknown, context: ServerContext): Promise<CallToolResult> => {
      const { signal } = context.mcpReq;
      try {
        return await run(given as z.output<Input>, { client, signal, context });
      } catch (error) {
        // A cancelled call has no reader of its answer.
        signal.throwIfAborted();
        if (!isExpected(error)) onError(error);
        return { content: [{ type: 'text', text: describeFailure(error) }], isError: true };
      }
    };
    const schemas: Record<'inputSchema' | 'outputSchema', StandardSchemaWithJSON> = {
      inputSchema: input,
      outputSchema: output,
    };
    server.registerTool(name, { title, description, ...schemas, annotations: { title, ...annotations } }, answer);
  };

/** The annotations of a tool that changes nothing and asks one service only. */
export const readOnly: ToolAnnotations = { readOnlyHint: true, openWorldHint: false, idempotentHint: true };
