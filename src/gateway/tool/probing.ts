import { isJsonObject, type Json, type JsonObject, own } from '../../model/json/json.ts';
import type { BoundTool, MadeCall, ToolProbing } from '../../ports/bound-tool.ts';
import type { AnyToolOptions, PastCall } from './options.ts';
import { compensationTool } from './to-spec.ts';

type Effects = NonNullable<AnyToolOptions['effects']>;

/** The argument functions of a tool's probes and compensation. Without one, arguments are matched by name. */
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
      : {
          compensate: {
            args: argumentsFor(compensationTool(compensate), 'spec' in compensate ? undefined : compensate.args),
          },
        }),
  };
}

/** The probe and compensation tools, each once. */
export function companionsOf({ verify, reconcile, compensate }: Effects): readonly BoundTool[] {
  const named = [verify?.probe, reconcile?.probe, compensate === undefined ? undefined : compensationTool(compensate)];
  return [...new Set(named.filter((tool) => tool !== undefined))];
}

function argumentsFor(
  probe: BoundTool,
  declared: ((call: PastCall<JsonObject, Json>) => JsonObject) | undefined,
): (call: MadeCall) => JsonObject {
  return declared ?? ((call) => argumentsByName(probe.spec.input_schema, call));
}

/** Takes each argument of the probe by name from the result, the arguments or the idempotency key. */
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
