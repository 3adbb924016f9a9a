import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hrefOf, parseRoute, type Route } from './route.ts';

const part = fc.string({ minLength: 1, unit: 'grapheme' });
const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>(
    { room: 'chains' },
    { room: 'runs' },
    { room: 'skills' },
    { room: 'jobs' },
    { room: 'settings' },
  ),
  part.map((name): Route => ({ room: 'chain', name })),
  fc.constantFrom('run', 'skill', 'jobs').chain((room) => part.map((id) => ({ room, id }) as Route)),
);

test('every place has a link that leads back to it, whatever a chain is called', () => {
  fc.assert(
    fc.property(routes, (route) => {
      expect(parseRoute(hrefOf(route))).toEqual(route);
    }),
  );
});

test('any other address is the list of chains, never an error', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseRoute(`#/${text}`)));
  expect(parseRoute('#/nothing/like/this')).toEqual({ room: 'chains' });
  expect(parseRoute('#/chains/%E0%A4%A')).toEqual({ room: 'chain', name: '%E0%A4%A' });
});
