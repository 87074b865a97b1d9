/** Classes of a grid of cards: two columns on a phone, six on the widest screens. */
export const cardGrid = 'grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4 xl:grid-cols-5 2xl:grid-cols-6';
