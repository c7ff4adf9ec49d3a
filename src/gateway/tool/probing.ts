import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { own } from '../../model/own.ts';
import type { BoundTool, MadeCall, ToolProbing } from '../../ports/bound-tool.ts';
import type { AnyToolOptions, Made } from './options.ts';
import { undoOf } from './to-spec.ts';

type Effects = NonNullable<AnyToolOptions['effects']>;

/** The code of a tool's probes. Arguments that nobody describes are taken by their names from the call. */
export function probingOf({ verify, reconcile, compensate }: Effects): ToolProbing {
  return {
    ...(verify === undefined
      ? {}
      : {
          verify: {
            args: argumentsFor(verify.probe, verify.args),
            expect: (args: JsonObject, found: Json) => verify.expect(args, found) === true,
          },
        }),
    ...(reconcile === undefined ? {} : { reconcile: { args: argumentsFor(reconcile.probe, reconcile.args) } }),
    ...(compensate === undefined
      ? {}
      : { compensate: { args: argumentsFor(undoOf(compensate), 'spec' in compensate ? undefined : compensate.args) } }),
  };
}

/** The tools behind them, each once. */
export function companionsOf({ verify, reconcile, compensate }: Effects): readonly BoundTool[] {
  const named = [verify?.probe, reconcile?.probe, compensate === undefined ? undefined : undoOf(compensate)];
  return [...new Set(named.filter((tool) => tool !== undefined))];
}

function argumentsFor(
  probe: BoundTool,
  given: ((call: Made<JsonObject, Json>) => JsonObject) | undefined,
): (call: MadeCall) => JsonObject {
  return given ?? ((call) => argumentsByName(probe.spec.input_schema, call));
}

/** For each argument that the probe knows: what the call brought back under that name, or was given, or its key. */
export function argumentsByName({ properties }: JsonObject, { args, idempotencyKey, result }: MadeCall): JsonObject {
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const found = isJsonObject(result) ? result : {};
  const sources: readonly JsonObject[] = [found, args, { idempotency_key: idempotencyKey }];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = sources.map((source) => own(source, name)).find((held) => held !== undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
