/**
 * Everyday things, scenes and activities that a picture may show, by theme. They are compared with the moments of a library, to say what is often found in it
 * and to name the groups of its map. Plain English, singular where one of it fills a picture; a word that pictures cannot show has no place here.
 */
const themes = {
  broad: `animals, wild animals, farm animals, pets, reptiles, insects, plants, people, food, fruit and vegetables, furniture, tools, clothes, vehicles, toys, electronics,
    buildings, rooms, nature, water, landscape, musical instruments, documents, sports, dishes`,
  landscape: `beach, sea, waves, coast, cliff, island, lake, river, waterfall, stream, pond, swamp, mountain, hill, valley, canyon, desert, sand dunes,
    volcano, glacier, iceberg, cave, rock, forest, jungle, meadow, field, farmland, vineyard, garden, park, lawn, coral reef, underwater, horizon, trail`,
  sky: `sunset, sunrise, blue sky, clouds, storm, lightning, rainbow, fog, rain, snow, ice, starry sky, moon, northern lights, aerial view, outer space, planet earth, fire,
    smoke, fireworks, night, shadow, reflection`,
  seasons: 'autumn leaves, spring blossom, winter landscape, summer holiday, flood, drought',
  plants: `tree, palm tree, flower, rose, sunflower, tulip, daisy, orchid, cactus, mushroom, grass, leaves, moss, bush, houseplant, bouquet, wheat field, bamboo,
    fern, seeds, wood`,
  mammals: `dog, puppy, cat, kitten, horse, cow, sheep, goat, pig, donkey, rabbit, hamster, mouse, squirrel, hedgehog, fox, wolf, bear, polar bear, panda, lion,
    tiger, leopard, jaguar, elephant, giraffe, zebra, rhinoceros, hippopotamus, camel, deer, moose, bison, antelope, kangaroo, koala, monkey, gorilla, chimpanzee,
    lemur, bat, otter, beaver, seal, sea lion, whale, dolphin, badger, llama, sloth, armadillo`,
  birds: `bird, duck, swan, goose, chicken, rooster, turkey, pigeon, seagull, eagle, owl, parrot, cockatoo, penguin, flamingo, peacock, ostrich, heron, pelican, hummingbird,
    crow, woodpecker`,
  'other animals': `fish, goldfish, clownfish, shark, ray, jellyfish, octopus, crab, lobster, starfish, snail, shell, snake, lizard, chameleon, crocodile, turtle, frog,
    butterfly, bee, spider, beetle, ant, dragonfly, ladybird, grasshopper, insect, worm, dinosaur, aquarium, herd of animals`,
  people: `portrait, face, baby, child, family, couple, group of people, crowd, old man, old woman, bride and groom, teenager, hands, eyes, hair, tattoo, silhouette of a
    person, person in uniform, soldier, police officer, firefighter, doctor, scientist, chef, worker with helmet, farmer, fisherman, musician, dancer, athlete, clown`,
  activities: `cooking, baking a cake, eating, drinking, reading a book, writing, painting, drawing, dancing, singing, playing guitar, playing piano, playing drums, applause,
    giving a speech, interview, meeting, teaching in a classroom, working at a computer, talking on the phone, shopping, gardening, cleaning, sewing, building,
    hugging, kissing, laughing, crying, sleeping, walking, running, jumping, climbing, hiking, camping, fishing, hunting, swimming, diving, surfing, sailing, rowing,
    kayaking, skiing, snowboarding, ice skating, skateboarding, cycling, riding a horse, driving, flying, yoga, weightlifting, boxing, wrestling, martial arts,
    fencing, gymnastics, sign language, playing video games, playing chess, playing cards, magic trick, praying, protest, parade`,
  sports: `football match, basketball, baseball, tennis, golf, volleyball, rugby, hockey, cricket, table tennis, bowling, billiards, archery, motor race,
    horse race, stadium, swimming pool, gym, playground, ski slope, race track`,
  events: `wedding, birthday party, concert, festival, theatre stage, orchestra, opera, conference, exhibition, christmas, halloween, carnival, graduation, ceremony, picnic,
    market, fair, circus, fashion show, press conference, funeral`,
  food: `bread, cake, pizza, hamburger, sandwich, soup, salad, pasta, rice, sushi, meat, barbecue, sausage, egg, cheese, vegetables, fruit, apple, orange, banana,
    strawberry, grapes, lemon, pineapple, tomato, pepper, corn, pumpkin, broccoli, cabbage, ice cream, chocolate, biscuits, breakfast, dinner table, coffee, tea, wine, beer,
    cocktail, bottle, glass, cup, plate, bowl, spices, nuts`,
  buildings: `city, skyline, skyscraper, street, alley, village, house, apartment building, castle, palace, church, cathedral, mosque, temple, pagoda, monastery, tower,
    lighthouse, windmill, bridge, dam, stairs, gate, wall, ruins, pyramid, monument, statue, fountain, square, museum, library, school, hospital, hotel,
    factory, warehouse, barn, greenhouse, tent, hut, cemetery, construction site, crane, power plant, wind turbine, solar panels, power line, pier, harbour`,
  inside: `living room, bedroom, kitchen, bathroom, office, classroom, restaurant, bar, cafe, shop, supermarket, corridor, staircase, lift, laboratory, workshop,
    garage, studio, cinema, airport, railway station, underground station, attic, room with people, window, door, fireplace`,
  traffic: `car, sports car, vintage car, taxi, bus, truck, van, ambulance, fire engine, police car, tractor, motorcycle, scooter, bicycle, train, steam train, tram, aeroplane,
    helicopter, hot air balloon, rocket, drone, ship, boat, sailing boat, yacht, ferry, canoe, submarine, motorway, traffic jam, crossroads, traffic light, road sign, car park,
    tunnel, railway track, wheel, engine, dashboard of a car`,
  things: `book, newspaper, letter, map, screen, laptop, keyboard, smartphone, camera, television, radio, loudspeaker, headphones, microphone, clock, watch, lamp, candle, chair,
    table, sofa, bed, desk, shelf, mirror, curtain, carpet, pillow, basket, box, bag, backpack, suitcase, umbrella, key, coin, money, jewellery, ring, glasses,
    sunglasses, hat, helmet, shoes, dress, suit, shirt, jacket, scarf, mask, toy, doll, teddy bear, ball, balloon, kite, flag, gift, guitar, piano, violin, trumpet, drum,
    saxophone, scissors, hammer, saw, drill, knife, pan, oven, fridge, washing machine, vacuum cleaner, pen, paint brush, bucket, rope, chain, ladder, fence, barrel,
    telescope, microscope, weapon, robot, battery, cable, circuit board, machine`,
  looks: `text on a screen, handwriting, sign with text, logo, diagram, chart, table of numbers, slide of a presentation, screenshot, map on a screen, test pattern, drawing,
    painting, cartoon, animation, comic, black and white photograph, old photograph, close-up, pattern, texture, abstract shapes, neon lights, graffiti, mosaic,
    stained glass, sculpture, pottery, embroidery, x-ray, satellite image`,
};

/** The words of `themes`, each once. */
export const conceptWords: readonly string[] = [
  ...new Set(
    Object.values(themes)
      .join(', ')
      .split(',')
      .map((word) => word.trim().replaceAll(/\s+/g, ' ')),
  ),
];
