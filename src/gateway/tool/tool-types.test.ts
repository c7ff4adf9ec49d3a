/** The static types of a tool's arguments and results follow from its schemas. */
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Json, JsonObject } from '../../model/json/json.ts';
import type { ToolContext } from '../../ports/bound-tool.ts';
import type { ResultOf } from './options.ts';
import { tool } from './tool.ts';

const base = { name: 'a', description: 'a', approvalMode: 'read_only' } as const;

const probe = tool({
  ...base,
  inputSchema: z.object({ id: z.string() }),
  outputSchema: z.object({ found: z.boolean() }),
  execute: () => ({ found: true }),
});

test('execute receives the output type of the input schema, with defaults', () => {
  const typed = tool({
    ...base,
    inputSchema: z.object({ id: z.string(), limit: z.int().default(10) }),
    outputSchema: z.object({ found: z.boolean() }),
    execute: (input, context) => {
      expectTypeOf(input).toEqualTypeOf<{ id: string; limit: number }>();
      expectTypeOf(context).toEqualTypeOf<ToolContext>();
      return { found: true };
    },
    effects: { reconcile: { probe, args: ({ args }) => ({ id: args.id }) } },
  });
  expectTypeOf<ResultOf<typeof typed>>().toEqualTypeOf<{ found: boolean }>();
});

test('a result of the wrong type does not compile', () => {
  tool({
    ...base,
    inputSchema: z.object({}),
    outputSchema: z.object({ found: z.boolean() }),
    // @ts-expect-error: found is a boolean
    execute: () => ({ found: 'yes' }),
  });
  tool({
    ...base,
    approvalMode: 'network',
    inputSchema: z.object({ id: z.string() }),
    outputSchema: z.object({}),
    execute: () => ({}),
    effects: {
      // @ts-expect-error: the probe finds a boolean
      verify: { probe, expect: (input, found) => found.found === input.id },
    },
  });
});

test('with JSON Schema, arguments and results are JSON', () => {
  const untyped = tool({
    ...base,
    inputSchema: { type: 'object' },
    outputSchema: { type: 'string' },
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<JsonObject>();
      return 'text';
    },
  });
  expectTypeOf<ResultOf<typeof untyped>>().toEqualTypeOf<Json>();
});

// @ts-expect-error: a tool says what a call may do
void (() => tool({ name: 'a', description: 'a', inputSchema: {}, outputSchema: {}, execute: () => null }));
