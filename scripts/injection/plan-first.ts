import {
  indexRequest,
  momentsIn,
  type RequestStatements,
  statedAt,
} from '../../src/kernel/query/provenance/stated-request.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../src/model/json/json.ts';
import { pointerToken } from '../../src/model/json/pointer.ts';
import { READER, type Wanted } from './calls.ts';
import type { RecordedCall, UserTask } from './suites.ts';

/** The plan of a planner that has not read anything: known values as literals, others as bindings to results. */
export function planFirst(task: UserTask): readonly Wanted[] {
  const stated = indexRequest(task.prompt, {}, []);
  return task.calls.flatMap((call, index) => {
    const readings: Wanted[] = [];
    const page: Page = { task, stated: stated, call, index, readings };
    const params = Object.entries(call.args).map(([key, value]) => [key, write(page, value, key, pointerToken(key))]);
    return [...readings, { stepId: userStep(index), tool: call.function, params: Object.fromEntries(params), call }];
  });
}

export const userStep = (index: number): string => `user_${index}`;

interface Page {
  readonly task: UserTask;
  readonly stated: RequestStatements;
  readonly call: RecordedCall;
  readonly index: number;
  /** Reader steps that have to precede the call; they are added as needed. */
  readonly readings: Wanted[];
}

/** A literal, a binding to the value in an earlier result, or a binding to a reader's answer. */
function write(page: Page, value: Json, name: string, pointer: string): Json {
  const leaves = leavesOf(value, name, pointer);
  if (leaves.every((leaf) => isKnown(page, leaf))) return value;
  if (leaves.every((leaf) => !isKnown(page, leaf))) {
    const found = findIn(page, value, pointer);
    if (found !== null) return found;
  }
  if (isJsonList(value)) return value.map((item, at) => write(page, item, name, `${pointer}/${at}`));
  if (!isJsonObject(value)) return readOut(page, value, pointer);
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, write(page, child, key, pointer + pointerToken(key))]),
  );
}

interface Leaf {
  readonly value: Json;
  readonly name: string;
  readonly pointer: string;
}

function leavesOf(value: Json, name: string, pointer: string): readonly Leaf[] {
  if (isJsonList(value)) return value.flatMap((item, at) => leavesOf(item, name, `${pointer}/${at}`));
  if (!isJsonObject(value)) return [{ value, name, pointer }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, key, pointer + pointerToken(key)));
}

/** Shorter strings, such as line numbers, match a request by chance; a result that contains them is preferred. */
const WORD_LENGTH_MIN = 3;

/** Whether a planner can know the value from the request alone. Before the first result there is no other source. */
function isKnown({ task, stated, call, index }: Page, { value, name, pointer }: Leaf): boolean {
  if (index === 0) return true;
  const sources = call.arg_provenance[pointer] ?? [];
  const returned = sources.some((source) => source.startsWith('result:'));
  if (returned && typeof value === 'string' && value.length < WORD_LENGTH_MIN) return false;
  if (statedAt(stated, name, value) !== null) return !isChoice(task, sources, value);
  return !returned && !sources.includes('synthesized');
}

const TIME_OF_DAY = /\b\d{2}:\d{2}\b/u;

/** If a request names several times, as in "at 10:00, or at 16:00 if I am busy", the result read decides. */
function isChoice({ prompt }: UserTask, sources: readonly string[], value: Json): boolean {
  const made = sources.includes('synthesized') && typeof value === 'string' && TIME_OF_DAY.test(value);
  return made && momentsIn(prompt).times.size > 1;
}

/** The earlier results that contain the value; all of them if the data only says that it was derived from some. */
function resultsBehind({ call, index }: Page, pointer: string): readonly number[] {
  const named = Object.entries(call.arg_provenance)
    .filter(([place]) => place === pointer || place.startsWith(`${pointer}/`))
    .flatMap(([, sources]) => sources)
    .flatMap((source) => (source.startsWith('result:') ? [Number(source.slice('result:'.length))] : []));
  const earlier = [...new Set(named)].filter((at) => at < index);
  return earlier.length > 0 ? earlier.toSorted((a, b) => a - b) : Array.from({ length: index }, (_, at) => at);
}

function findIn(page: Page, value: Json, pointer: string): JsonObject | null {
  const wanted = canonicalize(value);
  for (const at of resultsBehind(page, pointer)) {
    const path = pathTo(page.task.calls[at]?.result ?? null, wanted, '/result');
    if (path !== null) return { $from: userStep(at), path };
  }
  return null;
}

function pathTo(value: Json, wanted: string, path: string): string | null {
  if (value === null || typeof value === 'boolean') return null;
  if (canonicalize(value) === wanted) return path;
  if (typeof value !== 'object') return null;
  const children = isJsonList(value) ? value.entries() : Object.entries(value);
  for (const [key, child] of children) {
    const found = pathTo(child, wanted, path + pointerToken(String(key)));
    if (found !== null) return found;
  }
  return null;
}

function readOut(page: Page, value: Json, pointer: string): JsonObject {
  const stepId = `read_${page.index}_${page.readings.length}`;
  const from = resultsBehind(page, pointer).map((at) => ({ $from: userStep(at), path: '/result' }));
  const params = { from, question: `${page.call.function}${pointer}` };
  page.readings.push({ stepId, tool: READER, params, reading: value });
  return { $from: stepId, path: '/value' };
}
