import type { Split } from './drawn-images.ts';

/** Sentences that eSpeak NG says in the benchmarks, written for them: found in no book, with names and numbers now and then. */
export const spokenSentences: Record<Split, string[]> = {
  development: [
    'The children are feeding the ducks by the river.',
    'We took the early train to the coast and walked along the beach.',
    'Please turn left after the second traffic light.',
    'My grandmother baked three apple pies for the wedding.',
    'The mechanic said the old engine needs a new belt.',
    'It has been raining in the mountains since Tuesday morning.',
    'Nobody noticed the small bird sitting on the window.',
    'The meeting starts at nine in the large conference room.',
    'He planted tomatoes and beans behind the garden shed.',
    'Our dog jumped over the fence and chased the postman.',
    'Mix the flour with warm water and a little salt.',
    'The orchestra played for two hours without a break.',
    'She painted the kitchen door dark green last summer.',
    'There is a library next to the swimming pool.',
    'Put the yellow boxes under the stairs, please.',
  ],
  test: [
    'A fishing boat came back to the harbour after the storm.',
    'The teacher wrote the answer on the board with a piece of chalk.',
    'Remember to water the plants while we are away.',
    'Twenty people waited in front of the museum before it opened.',
    'The surgeon explained the operation to the worried parents.',
    'Cut the carrots into thin slices and fry them in butter.',
    'In winter the lake freezes and everybody goes skating.',
    'A black cat was sleeping on the roof of the car.',
    'The company has opened a new office in Berlin.',
    'This machine folds paper faster than ten workers.',
    'The candles on the cake were blown out by her little brother.',
    'Scientists measured the temperature of the ocean every hour.',
    'The pilot announced that the flight would be late.',
    'Nine horses escaped from the farm during the night.',
    'Her first novel was translated into seven languages.',
  ],
};

/** The same in other languages, for the test split. */
export const foreignSentences: { voice: string; language: string; sentences: string[] }[] = [
  {
    voice: 'de',
    language: 'de',
    sentences: [
      'Die Kinder spielen nach der Schule im Garten.',
      'Wir fahren morgen mit dem Zug nach Hamburg.',
      'Der Bäcker hat heute frisches Brot gebacken.',
      'Bitte schließen Sie die Tür hinter sich.',
    ],
  },
  {
    voice: 'fr',
    language: 'fr',
    sentences: [
      'Les enfants jouent dans le jardin après l’école.',
      'Nous prenons le train pour Paris demain matin.',
      'La vieille église se trouve à côté de la mairie.',
      'Il fait très froid dans les montagnes en hiver.',
    ],
  },
  {
    voice: 'es',
    language: 'es',
    sentences: [
      'Los niños juegan en el jardín después de la escuela.',
      'Mañana vamos a la playa con nuestros amigos.',
      'El perro blanco duerme debajo de la mesa.',
      'Mi hermana compró tres libros en la librería.',
    ],
  },
];
