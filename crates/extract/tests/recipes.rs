//! Recipes: lists that a page only shows, and published ones that software wrote in its own way. All pages are written for these tests.

use errand_extract::{Options, extract};
use serde_json::{Value, json};

fn list(html: &str, name: &str) -> Value {
    let items = json!({"type": "array", "items": {"type": "string"}});
    let schema = json!({"type": "object", "properties": {(name): items}});
    let got = extract(html, "https://example.com/soup", &schema, &Options::default()).expect("the schema is usable");
    got.data.get(name).cloned().unwrap_or(Value::Null)
}

#[test]
fn rows_of_blocks_under_a_heading_are_ingredients_with_the_amount_first() {
    let html = r#"<body><h1>Σαλάτα</h1><ul><li>Εύκολα</li><li>20 λεπτά</li></ul><div class="top"><h2>Υλικά</h2></div><div class="rows">
        <div class="row"><label><span class="q">2</span><p>ντομάτες</p></label></div><div class="row"><label><span class="q">1/2 φλ.</span><p>φέτα</p></label></div>
        <div class="row"><label><p>αλάτι</p></label></div></div><h2>Εκτέλεση</h2><p>Κόβουμε τις ντομάτες.</p></body>"#;
    assert_eq!(list(html, "ingredients"), json!(["2 ντομάτες", "1/2 φλ. φέτα", "αλάτι"]));
    let html = r#"<h2>Ingredienti</h2><table><tr><th>Cosa</th><th>Quanto</th></tr><tr><td>Farina</td><td>200 g</td></tr><tr><td>Uova</td><td>3</td></tr></table>"#;
    assert_eq!(list(html, "ingredients"), json!(["200 g Farina", "3 Uova"]));
}

#[test]
fn groups_of_ingredients_are_one_list_without_the_names_of_the_groups() {
    let html = r#"<h3>Ingredients</h3><h4>Dough</h4><ul><li>200 g flour</li><li>1 egg</li></ul><h4>Filling</h4><ul><li>3 apples</li><li><b>For the top</b></li><li>1 tsp sugar</li></ul>
        <h3>Method</h3><ol><li>Mix everything and bake it well.</li></ol>"#;
    assert_eq!(list(html, "ingredients"), json!(["200 g flour", "1 egg", "3 apples", "1 tsp sugar"]));
}

#[test]
fn paragraphs_between_two_labels_are_ingredients() {
    let html = r#"<p>Sopa de la abuela.</p><p><b>Ingredientes</b></p><p>1 litro de agua</p><p>2 dientes de <b>ajo</b></p><p>sal</p><p><b>Preparación</b>.</p><p>1. Hervir el agua con los ajos.</p><p>2. Servir.</p>"#;
    assert_eq!(list(html, "ingredients"), json!(["1 litro de agua", "2 dientes de ajo", "sal"]));
}

#[test]
fn an_ingredient_list_ends_where_the_prose_begins() {
    let html = r#"<p>Ingredients</p><ul><li>2 racks of ribs</li><li>1 cup rub</li></ul><p>Optional</p><ul><li>Sauce</li></ul>
        <p>Heat the smoker to 130 degrees and wait. Rub the ribs on both sides and let them rest.</p><ul><li>Share</li><li>Print</li></ul>"#;
    assert_eq!(list(html, "ingredients"), json!(["2 racks of ribs", "1 cup rub", "Sauce"]));
}

#[test]
fn a_list_of_amounts_needs_no_heading() {
    let html = r#"<h1>Carrots</h1><ul><li>Home</li><li>About</li><li>Books</li></ul><p>I like them.</p><ul><li>3 large carrots</li><li>orange juice</li><li>1/4 tsp. salt</li></ul>"#;
    assert_eq!(list(html, "ingredients"), json!(["3 large carrots", "orange juice", "1/4 tsp. salt"]));
    let columns = r#"<p>For two.</p><p class="x">• 15 g cheese<br>• 1 egg<br>• salt</p><p>Mix.</p><p class="x">• 2 slices of veal</p><p>Fry.</p>"#;
    assert_eq!(list(columns, "ingredients"), json!(["15 g cheese", "1 egg", "salt", "2 slices of veal"]));
}

#[test]
fn the_same_list_in_other_measures_is_read_once() {
    let html = r#"<h2>Ingredients</h2><ul><li>200 g plain flour</li><li>50 g butter, soft</li></ul><ul class="visually-hidden"><li>7 oz plain flour</li><li>1.8 oz butter, soft</li></ul>"#;
    assert_eq!(list(html, "ingredients"), json!(["200 g plain flour", "50 g butter, soft"]));
}

#[test]
fn amounts_that_only_the_page_puts_together_are_not_lost() {
    let html = r#"<script>window.recipe = {"ingredients": [{"name": "flour", "amount": "2"}, {"name": "milk", "amount": "1"}]}</script>
        <div class="recipe-ingredients"><ul><li><span>2</span> <span>cups</span> <span>flour</span></li><li><span>1</span> <span>cup</span> <span>milk</span></li></ul></div>"#;
    assert_eq!(list(html, "ingredients"), json!(["2 cups flour", "1 cup milk"]));
}

#[test]
fn soft_hyphens_part_no_words() {
    assert_eq!(
        list("<h2>Zutaten</h2><ul><li>1 EL Weizen&shy;mehl</li><li>1 Ei</li></ul>", "ingredients"),
        json!(["1 EL Weizen\u{ad}mehl", "1 Ei"])
    );
}

fn published(recipe: Value, body: &str) -> String {
    format!("<script type=\"application/ld+json\">{recipe}</script><body>{body}")
}

#[test]
fn published_amounts_at_the_end_give_way_to_shown_ones_in_front() {
    let recipe = json!({"@context": "https://schema.org", "@type": "Recipe", "name": "Soup", "recipeIngredient": ["mlieko, 500 ml", "vajcia , 2 ks celé", "soľ"]});
    let rows = "<h2>Suroviny</h2><table><tr><td>500 ml</td><td>mlieko</td></tr><tr><td>2 ks celé</td><td>vajcia</td></tr><tr><td></td><td>soľ</td></tr></table>";
    assert_eq!(
        list(&published(recipe.clone(), rows), "ingredients"),
        json!(["500 ml mlieko", "2 ks celé vajcia", "soľ"])
    );
    assert_eq!(list(&published(recipe, ""), "ingredients"), json!(["mlieko, 500 ml", "vajcia , 2 ks celé", "soľ"]));
}

#[test]
fn published_amounts_run_together_with_names_give_way_to_shown_ones_apart() {
    let recipe = json!({"@context": "https://schema.org", "@type": "Recipe", "name": "饭", "recipeIngredient": ["150克鸡肉", "半个洋葱", "盐"]});
    let rows = "<h2>用料</h2><table><tr><td class=name>鸡肉</td><td class=unit>150克</td></tr><tr><td class=name>洋葱</td><td class=unit>半个</td></tr><tr><td class=name>盐</td><td class=unit></td></tr></table>";
    assert_eq!(list(&published(recipe, rows), "ingredients"), json!(["150克 鸡肉", "半个 洋葱", "盐"]));
}

#[test]
fn a_published_text_that_was_cut_short_gives_way_to_the_shown_steps() {
    let recipe = json!({"@context": "https://schema.org", "@type": "Recipe", "name": "Soup", "recipeInstructions": "Heat the wat..."});
    let steps = "<h2>Method</h2><ol><li><span>1</span><p>Heat the water in a large pot.</p></li><li><span>2</span><p>Add the salt and wait a minute.</p></li></ol>";
    assert_eq!(
        list(&published(recipe, steps), "instructions"),
        json!(["Heat the water in a large pot.", "Add the salt and wait a minute."])
    );
}

#[test]
fn steps_in_paragraphs_are_not_the_list_of_other_recipes_below_them() {
    let html = r#"<p>Preparación:</p><p>1. Pon el agua en el vaso y calienta.</p><p>2. Añade la sal y la levadura y mezcla.</p>
        <ul><li>Pan de trigo con semillas tostadas, por Ana</li><li>Bizcocho de naranja y espelta, por Ana</li></ul>"#;
    assert_eq!(
        list(html, "instructions"),
        json!(["1. Pon el agua en el vaso y calienta.", "2. Añade la sal y la levadura y mezcla."])
    );
}

fn text(html: &str, name: &str) -> Value {
    let schema = json!({"type": "object", "properties": {(name): {"type": "string"}}});
    let got = extract(html, "https://example.com/soup", &schema, &Options::default()).expect("the schema is usable");
    got.data.get(name).cloned().unwrap_or(Value::Null)
}

#[test]
fn a_byline_names_the_author_where_nothing_or_only_the_site_is_published() {
    let byline = r#"<meta property="og:site_name" content="Soups"><article><h1>Soup</h1><div class="post-author">Recipe by <a href="/u/7">Ada Lind</a> May 3, 2024</div></article>
        <div class="comments"><span class="comment-author">Bob</span></div>"#;
    assert_eq!(text(byline, "author"), json!("Ada Lind"));
    let organisation = json!({"@context": "https://schema.org", "@type": "Recipe", "name": "Soup", "author": {"@type": "Organization", "name": "Soups Ltd"}});
    assert_eq!(text(&published(organisation.clone(), byline), "author"), json!("Ada Lind"));
    assert_eq!(text(&published(organisation, "<h1>Soup</h1>"), "author"), json!("Soups Ltd"));
}

#[test]
fn a_wiki_heading_is_read_without_its_name_space() {
    assert_eq!(
        text("<h1>Cookbook:Pumpkin Pie</h1><table><tr><th>Pumpkin Pie</th></tr></table>", "title"),
        json!("Pumpkin Pie")
    );
    assert_eq!(text("<h1>Re:Zero</h1><p>A series.</p>", "title"), json!("Re:Zero"));
}

fn minutes(html: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"total_time": {"type": "number"}}});
    let got = extract(html, "https://example.com/soup", &schema, &Options::default()).expect("the schema is usable");
    got.data.get("total_time").cloned().unwrap_or(Value::Null)
}

#[test]
fn the_total_time_is_the_sum_of_what_the_page_gives() {
    let classes =
        r#"<h1>Soup</h1><div class="item preparation_time">5 λεπτά</div><div class="item cooking_time">1 ώρα</div>"#;
    assert_eq!(minutes(classes), json!(65));
    let labels = "<p><span>Préparation</span> <span>20 min</span></p><p><span>Cuisson</span> <span>45 min</span></p>
        <h2>Préparation</h2><p>Chauffer l'eau pendant 10 minutes, puis ajouter les légumes et cuire encore 30 minutes.</p>";
    assert_eq!(minutes(labels), json!(65));
    let recipe = json!({"@context": "https://schema.org", "@type": "Recipe", "name": "Soup", "prepTime": "PT5M", "cookTime": "PT5M"});
    assert_eq!(minutes(&published(recipe, "<p>Total cook time: 5 minutes</p>")), json!(10));
    let only = json!({"@context": "https://schema.org", "@type": "Recipe", "name": "Soup", "cookTime": "PT40M"});
    assert_eq!(minutes(&published(only, "")), Value::Null);
}

fn recipe(html: &str) -> Value {
    let list = json!({"type": "array", "items": {"type": "string"}});
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}, "author": {"type": "string"},
        "total_time": {"type": "number"}, "ingredients": list, "instructions": list}});
    extract(html, "https://example.com/soup", &schema, &Options::default()).expect("the schema is usable").data
}

#[test]
fn both_recipe_microformats_are_read() {
    let wanted = json!({"title": "Bean Soup", "author": "Ann Lee", "total_time": 40, "ingredients": ["2 cups beans", "1 onion", "salt"],
        "instructions": ["Soak the beans over night in water.", "Cook everything until it is soft."]});
    let old = r#"<h1>How I cook beans when nobody looks</h1><div class="hrecipe"><h2 class="fn">Bean Soup</h2><p>By <span class="author vcard"><span class="fn">Ann Lee</span></span></p>
        <p><span class="duration">40 min</span></p><div><span class="ingredient"><span>2</span> <span>cups</span> <span>beans</span></span><br><span class="ingredient">1 onion</span><br><span class="ingredient">salt</span></div>
        <div class="instructions"><p>Soak the beans over night in water.</p><p>Cook everything until it is soft.</p></div></div>"#;
    let new = r#"<article class="h-recipe"><h2 class="p-name">Bean Soup</h2><p>by <a class="p-author h-card" href="/u">Ann Lee</a>, <time class="dt-duration" datetime="PT40M">under an hour</time></p>
        <ul><li class="p-ingredient">2 cups beans</li><li class="p-ingredient">1 onion</li><li class="p-ingredient">salt</li></ul>
        <div class="e-instructions"><ol><li>Soak the beans over night in water.</li><li>Cook everything until it is soft.</li></ol></div></article>"#;
    for html in [old, new] {
        assert_eq!(recipe(html), wanted);
    }
}

#[test]
fn a_recipe_in_a_post_has_the_name_that_its_card_has() {
    let card = r#"<article><h1>The best ever easy bean soup that you will love</h1><h2 class="my-recipe-name">Bean Soup</h2><h3>Ingredients</h3><ul><li>2 beans</li><li>1 onion</li></ul></article>"#;
    assert_eq!(recipe(card)["title"], json!("Bean Soup"));
    assert_eq!(text(card, "title"), json!("The best ever easy bean soup that you will love"));
}

#[test]
fn titles_are_read_without_the_name_of_the_site() {
    let html = r#"<meta property="og:title" content="Bean Soup - All Soups"><meta property="og:site_name" content="All Soups">"#;
    assert_eq!(text(html, "title"), json!("Bean Soup"));
}

#[test]
fn a_rating_is_the_average_and_not_the_count() {
    let html = r#"<script>window.recipe = {"name": "Bean Soup", "rating": {"count": 185, "total": 820, "average": 4.43}}</script>"#;
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "rating": {"type": "number"}}});
    let got = extract(html, "https://example.com/soup", &schema, &Options::default()).expect("the schema is usable");
    assert_eq!(got.data["rating"], json!(4.43));
}

#[test]
fn a_page_of_very_many_lists_is_read_in_bounded_work() {
    let labelled = "<p>Ingredients</p><p>1 cup of flour and so on</p>".repeat(20_000);
    assert!(list(&labelled, "ingredients").is_array());
    // Nested too deep to be kept apart: one text node of a megabyte.
    let nested = "<div class=ingredients><div class=b><span>1 cup</span> flour</div>".repeat(20_000);
    assert!(list(&nested, "ingredients").is_array());
    // Every label begins a list that goes on to the end, and none of them is kept but the best.
    let labels = "<p>Ingredients</p>".repeat(50_000);
    assert!(list(&labels, "ingredients").as_array().is_some_and(|items| items.len() <= 2000));
    // Each list of amounts alone is one, and so are all of its class.
    let alike = "<p class=x>1 a<br>2 b<br>3 c</p>".repeat(20_000);
    assert!(list(&alike, "ingredients").as_array().is_some_and(|items| items.len() <= 5000));
    // What is around the items is read again for each level.
    let levels = format!("{}{}", "<ul>".repeat(500), "<li>1 cup of sugar".repeat(20_000));
    assert!(list(&levels, "ingredients").is_array());
    // Whether a header frames the page is asked for each paragraph.
    let headers = format!("<main>{}{}", "<header>".repeat(500), "<p>1 a<br>2 b<br>3 c</p>".repeat(20_000));
    assert!(list(&headers, "ingredients").is_array());
}

#[test]
fn only_a_list_under_its_name_counts_as_labelled() {
    let source = |html: &str| {
        let schema = json!({"properties": {"ingredients": {"type": "array", "items": {"type": "string"}}}});
        let got = extract(html, "https://example.com/soup", &schema, &Options::default()).expect("a usable schema");
        got.sources.get("ingredients").cloned()
    };
    let items = "<li>2 cups flour</li><li>1 cup milk</li><li>3 eggs</li>";
    assert_eq!(source(&format!("<h2>Ingredients</h2><ul>{items}</ul>")).as_deref(), Some("label"));
    assert_eq!(source(&format!("<ul>{items}</ul>")).as_deref(), Some("text"));
    assert_eq!(source(&format!("<ul class=recipe-ingredients>{items}</ul>")).as_deref(), Some("text"));
}

#[test]
fn of_lists_alike_the_one_called_hidden_gives_way() {
    let list_of =
        |class: &str, unit: &str| format!("<ul class='{class}'><li>1 {unit} flour</li><li>2 {unit} milk</li></ul>");
    let page = |aside: &str, shown: &str| {
        format!(
            "<h2>Ingredients</h2><p>For two.</p><ul class=o><li>x</li></ul>{}{}",
            list_of(aside, "g"),
            list_of(shown, "cups")
        )
    };
    assert_eq!(list(&page("visuallyhidden", "a"), "ingredients"), json!(["1 cups flour", "2 cups milk"]));
    // A part of a word says nothing.
    assert_eq!(list(&page("unhiddenly", "z-hidden"), "ingredients"), json!(["1 g flour", "2 g milk"]));
}

#[test]
fn numbers_in_a_megabyte_of_steps_are_found_in_one_pass() {
    let numbered: String = (1..5000).map(|number| format!("{number}. x ")).collect();
    let recipe = json!({"@context": "https://schema.org", "@type": "Recipe", "recipeInstructions": format!("{numbered}{}", "1) ".repeat(1 << 20))});
    let steps = list(&published(recipe, ""), "instructions");
    assert_eq!(steps.as_array().map(Vec::len), Some(4999));
}
