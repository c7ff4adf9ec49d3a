/** The type of `outcome.output` follows from the schema that the agent declares. */
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  type Agent,
  type Ambit,
  agent,
  ambit,
  type Json,
  type RunHandle,
  type RunOutcome,
} from '../../../src/index.ts';
import { scriptedPlanner } from '../../../src/testing/index.ts';
import { declaration } from './bench.ts';

interface Order {
  id: string;
  total?: number | undefined;
}

const planner = scriptedPlanner([]);

test('a schema library gives the output its type, in every call that returns an outcome', () => {
  const declared = agent({ ...declaration(planner), output: z.object({ id: z.string(), total: z.int().optional() }) });
  expectTypeOf(declared).toEqualTypeOf<Agent<Order>>();
  const read = async (runtime: Ambit<Order>): Promise<void> => {
    const run = runtime.start({ message: 'Hello', user: { name: 'ada', tenant: 'shop' } });
    expectTypeOf(run).toEqualTypeOf<RunHandle<Order>>();
    expectTypeOf((await run.settled).output).toEqualTypeOf<Order | null>();
    expectTypeOf((await run.cancel('enough')).output).toEqualTypeOf<Order | null>();
    expectTypeOf(await runtime.sessions.get(run.id)).toEqualTypeOf<RunOutcome<Order>>();
    expectTypeOf(await runtime.resume(run.id)).toEqualTypeOf<RunOutcome<Order>>();
    const tenant = runtime.within({ actor: 'ada', tenant_id: 'shop', roles: [], scopes: [], expires_at: 1 });
    expectTypeOf(await tenant.sessions.get(run.id)).toEqualTypeOf<RunOutcome<Order>>();
  };
  expectTypeOf(() => ambit({ agent: declared })).returns.toEqualTypeOf<Ambit<Order>>();
  expectTypeOf(read).parameter(0).toEqualTypeOf<Ambit<Order>>();
});

test('plain JSON Schema gives JSON, and no schema gives null', () => {
  const plain = agent({ ...declaration(planner), output: { type: 'object' } });
  expectTypeOf(plain).toEqualTypeOf<Agent<Json>>();
  const none = agent(declarationWithoutOutput);
  expectTypeOf(none).toEqualTypeOf<Agent<null>>();
  expectTypeOf(() => ambit({ agent: none }).invoke).returns.returns.resolves.toEqualTypeOf<RunOutcome<null>>();
});

const declarationWithoutOutput = declaration(planner);

test('an agent with any output type extends Agent, and the output of several agents is unknown', () => {
  expectTypeOf<Agent<Order>>().toExtend<Agent>();
  expectTypeOf<Ambit<Order>>().toExtend<Ambit>();
  expectTypeOf<RunOutcome<Order>>().toExtend<RunOutcome>();
  const several = (agents: readonly Agent[]): Ambit => ambit({ agents });
  expectTypeOf(several).returns.toEqualTypeOf<Ambit>();
  expectTypeOf<RunOutcome['output']>().toEqualTypeOf<unknown>();
});
