import { isJsonList, type Json, type JsonObject } from '../../model/json.ts';

/** A text or a number somewhere in the arguments, or a key that is somebody's address. */
export interface Leaf {
  readonly pointer: string;
  /** The name of the argument or, in a list, of the list: without case, marks and width. */
  readonly name: string;
  readonly value: string | number;
}

/** A list of things to do instead of calls: arguments may be nested as deep as anybody likes. */
export function leavesOf(args: JsonObject): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const open: { readonly pointer: string; readonly name: string; readonly value: Json }[] = [
    { pointer: '', name: '', value: args },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, name, value } = next;
    if (typeof value === 'string' || typeof value === 'number') leaves.push({ pointer, name, value });
    else if (typeof value === 'object' && value !== null) {
      const inList = isJsonList(value);
      for (const [key, inner] of Object.entries<Json>(value as JsonObject)) {
        const inside = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        if (key.normalize('NFKC').includes('@')) leaves.push({ pointer: inside, name, value: key });
        open.push({ pointer: inside, name: inList ? name : plainName(key), value: inner });
      }
    }
  }
  return leaves;
}

/** Whether a pointer leads to one of these, or into one of them. */
export const isCovered = (pointer: string, by: readonly string[]): boolean =>
  by.some((known) => known !== '' && (pointer === known || pointer.startsWith(`${known}/`)));

export const plainName = (key: string): string =>
  key
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
