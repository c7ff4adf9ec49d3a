const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Words that change something, or might, wherever in a statement they stand. */
export const WRITING: ReadonlySet<string> = words(
  'insert update delete merge replace truncate drop alter create grant revoke call do copy into set exec execute lock load attach pragma vacuum',
);

/**
 * Words that give a statement its parts. One of them ends an expression, and then has to be where the grammar has a
 * place for it; so whatever a table could stand behind is either read as such or refused.
 */
export const STRUCTURE: ReadonlySet<string> = words(
  'select from where group having order limit offset fetch union except intersect minus join inner left right full outer cross natural straight_join apply on using into set values insert update delete merge with recursive table tables window qualify returning for lock procedure lateral unnest pivot unpivot tablesample call exec execute do copy attach pragma',
);

/** Words that are no name, neither of a table nor another one for it, even where they give no structure. */
export const NO_NAME: ReadonlySet<string> = words(
  'as and or not in is null like between case when then else end exists any all some distinct by asc desc over only',
);

/**
 * Words that are a whole statement of their own to servers that need no semicolon between two. Unquoted they are nobody's
 * name, because such a server would take them for the next statement.
 */
export const ALONE: ReadonlySet<string> = words(
  'shutdown checkpoint reconfigure commit rollback return break continue revert begin go',
);

/** Words in an expression after which a value may follow. */
export const INFIX: ReadonlySet<string> = words(
  'and or not in is like ilike between case when then else exists any all some distinct as escape collate at time zone div mod xor regexp rlike similar to glob over by from for order partition both leading trailing interval rows range groups first next',
);

/** Words in an expression that may follow a value. */
export const POSTFIX: ReadonlySet<string> = words(
  'end asc desc nulls last isnull notnull preceding following row only precision varying year quarter month week day hour minute second',
);

/** Words that make a value of the text behind them. */
export const TYPED: ReadonlySet<string> = words('date time timestamp interval');

/** Words with a bracket after them that call nothing, in an expression. */
export const NO_FUNCTION: ReadonlySet<string> = words(
  'in and or not exists any all some over as when then else case between like by distinct is',
);

/** Functions whose arguments are parted by words, as in `extract(year from placed_at)`. */
export const WORDY: ReadonlySet<string> = words('extract substring trim');

/** The words with which one table is joined to another, in the orders in which they may stand. */
export const JOINS: ReadonlySet<string> = new Set([
  'join',
  'straight_join',
  'inner join',
  'cross join',
  ...['left', 'right', 'full'].flatMap((side) => [`${side} join`, `${side} outer join`]),
  'natural join',
  'natural inner join',
  ...['left', 'right', 'full'].flatMap((side) => [`natural ${side} join`, `natural ${side} outer join`]),
]);

/** The words that a join may begin with or go on with. */
export const JOIN_WORDS: ReadonlySet<string> = words('join straight_join inner cross left right full outer natural');
