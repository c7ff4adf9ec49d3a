import type { AuthorizationAnswer, StatefulAuthorizationCall } from '@cedar-policy/cedar-wasm/nodejs';
import * as firstEngine from '@cedar-policy/cedar-wasm/nodejs';
import { Fault } from '../../model/fault/fault.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { type CedarEngine, newEngine } from './reading-engine.ts';

type Question = Omit<StatefulAuthorizationCall, 'preparsedPolicySetId'>;

/** A set of policies that the deciding engine has parsed. */
export interface PreparedPolicies {
  /** Throws `policy_invalid` if the engine fails over these policies, at this question and at every later one. */
  readonly ask: (question: Question) => AuthorizationAnswer;
}

/** The instance that decides the calls of all tenants. */
let shared: CedarEngine = firstEngine;

/**
 * Prepares policies for questions. The engine stops for good when it runs out of memory, as a WebAssembly instance does.
 * Then a new instance takes its place, and every other set of policies is prepared there when it is used next. Policies
 * over which a new instance fails too are refused.
 */
export function preparePolicies(name: string, staticPolicies: Readonly<Record<string, string>>): PreparedPolicies {
  let preparedIn: CedarEngine | null = null;
  let refused: Fault | null = null;
  const prepare = (): void => {
    if (preparedIn === shared) return;
    const answer = shared.preparsePolicySet(name, { staticPolicies: { ...staticPolicies } });
    if (answer.type === 'failure')
      throw new Fault('policy_invalid', answer.errors.map(({ message }) => message).join('\n'));
    preparedIn = shared;
  };
  const attempt = (question: Question): AuthorizationAnswer => {
    try {
      prepare();
      return shared.statefulIsAuthorized({ ...question, preparsedPolicySetId: name });
    } catch (error) {
      if (isEngineFailure(error)) shared = newEngine();
      throw error;
    }
  };
  const ask = (question: Question): AuthorizationAnswer => {
    if (refused !== null) throw refused;
    try {
      return attempt(question);
    } catch (error) {
      if (!isEngineFailure(error)) throw error;
    }
    try {
      return attempt(question);
    } catch (error) {
      if (!isEngineFailure(error)) throw error;
      refused = new Fault('policy_invalid', `the policy engine cannot evaluate these policies: ${reasonOf(error)}`, {
        cause: error,
      });
      throw refused;
    }
  };
  return { ask };
}

/** Whether an instance is no longer usable: its memory may be inconsistent after both kinds of error. */
const isEngineFailure = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
