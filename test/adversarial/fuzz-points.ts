/** The entry points of the package and of a runtime whose run waits at its gate. */
import { keyTools } from '../../src/approvals.ts';
import { memoryStores, vaults } from '../../src/store.ts';
import { planOf, REQUEST, type Rig, rig } from '../runs/rig.ts';
import { ENTRY_POINTS, type EntryPoint, entryPointsOf } from './fuzz-entries.ts';

/** Methods that end the runtime, or that drive runs until they are told to stop. */
const NOT_CALLED = /\.(close|serve)$/;

export interface FuzzedRuntime {
  readonly bench: Rig;
  readonly points: readonly EntryPoint[];
}

/** Every method of a runtime and of a tenant's runtime, with junk alone and with junk after the id of a run. */
async function runtimePoints(): Promise<FuzzedRuntime> {
  const bench = rig({
    tools: { pay: { approval_mode: 'destructive', side_effect: true, produces: ['done'] } },
    plans: [planOf([{ id: 'a', tool: 'pay', requires: ['GATE_MODE_APPROVAL'] }])],
  });
  const { runId } = await bench.invoke();
  const tenant = bench.runtime.within(REQUEST.identity);
  const methods = [...entryPointsOf('runtime', bench.runtime), ...entryPointsOf('tenant', tenant)].filter(
    ({ name }) => !NOT_CALLED.test(name),
  );
  const afterId = methods.map(({ name, call }) => ({
    name: `${name}(id)`,
    call: (...args: readonly unknown[]) => call(runId, ...args),
  }));
  return { bench, points: [...methods, ...afterId] };
}

/** The methods of what factories of the package return. */
const returnedPoints = (): readonly EntryPoint[] =>
  Object.entries({
    'keyTools.inMemory()': keyTools.inMemory(),
    'memoryStores.inMemory()': memoryStores.inMemory(),
    'vaults.inMemory()': vaults.inMemory(),
  })
    .flatMap(([name, made]) => entryPointsOf(name, made))
    .filter(({ name }) => !NOT_CALLED.test(name));

export async function allPoints(): Promise<FuzzedRuntime> {
  const { bench, points } = await runtimePoints();
  return { bench, points: [...ENTRY_POINTS, ...returnedPoints(), ...points] };
}
