//! What field names mean: one table of concepts with their synonyms, where published data holds them, and how pages label them.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::text::{fold, words};

/// What kind of value a concept has; it decides how text becomes the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// An amount of money.
    Price,
    /// An ISO 4217 code.
    Currency,
    /// A whole number of things.
    Count,
    /// A score.
    Rating,
    /// A date or time.
    Date,
    /// An address of a page.
    Url,
    /// An address of a picture.
    Image,
    /// An ISO 8601 duration.
    Duration,
    /// A schema.org availability.
    Availability,
    /// A person, organisation or brand: its name.
    Named,
    /// An identifier: text even when it is all digits.
    Identifier,
}

/// A thing that field names mean.
#[derive(Debug)]
pub struct Concept {
    /// Its own name.
    pub id: &'static str,
    /// What kind of value it has.
    pub kind: Kind,
    /// Field names that mean it, folded.
    pub aliases: &'static [&'static str],
    /// Paths in JSON-LD and microdata, best first.
    pub paths: &'static [&'static str],
    /// Meta tags, best first.
    pub metas: &'static [&'static str],
    /// How pages label it, folded. A label may name several things ("Préparation": how long it takes, and how it is done); the
    /// value that follows decides.
    pub labels: &'static [&'static str],
}

macro_rules! concepts {
    ($($id:literal $kind:ident [$($alias:literal)*] paths [$($path:literal)*] metas [$($meta:literal)*] labels [$($label:literal)*])*) => {
        &[$(Concept { id: $id, kind: Kind::$kind, aliases: &[$($alias),*], paths: &[$($path),*], metas: &[$($meta),*], labels: &[$($label),*] }),*]
    };
}

/// All concepts. The first whose aliases hold a name decides.
pub static CONCEPTS: &[Concept] = concepts! {
    "name" Text ["name" "title" "headline" "heading" "productname" "producttitle" "itemname" "jobtitle" "recipename" "articletitle" "eventname" "position" "role" "subject"]
        paths ["name" "headline" "title"] metas ["og:title" "twitter:title" "title" "dc.title" "dcterms.title"] labels ["name" "title" "productname" "titel" "nom" "nombre" "nome" "название" "名前" "商品名"]
    "description" Text ["description" "summary" "abstract" "teaser" "excerpt" "blurb" "desc" "shortdescription" "about"]
        paths ["description" "abstract" "disambiguatingDescription"] metas ["og:description" "description" "twitter:description" "dc.description"] labels ["description" "beschreibung" "descripción" "descrizione" "описание" "summary" "about"]
    "currency" Currency ["currency" "pricecurrency" "currencycode" "currencyiso" "currencysymbol"]
        paths ["offers.priceCurrency" "offers.priceSpecification.priceCurrency" "offers.offers.priceCurrency" "hasVariant.offers.priceCurrency" "priceCurrency" "priceSpecification.priceCurrency" "baseSalary.currency" "estimatedSalary.currency" "offers.currency" "currency"]
        metas ["product:price:currency" "og:price:currency" "product:sale_price:currency" "og:product:price:currency" "twitter:data1"] labels ["currency" "währung" "devise" "moneda" "валюта" "通貨"]
    "lowPrice" Price ["lowprice" "minprice" "pricefrom" "fromprice" "pricemin" "lowestprice"]
        paths ["offers.lowPrice" "offers.priceSpecification.minPrice" "offers.price"] metas [] labels ["from"]
    "highPrice" Price ["highprice" "maxprice" "pricemax" "highestprice"]
        paths ["offers.highPrice" "offers.priceSpecification.maxPrice"] metas [] labels []
    "originalPrice" Price ["originalprice" "listprice" "regularprice" "wasprice" "oldprice" "rrp" "msrp" "strikeprice" "fullprice" "uvp"]
        paths ["offers.listPrice" "offers.highPrice"] metas ["product:original_price:amount"] labels ["listprice" "rrp" "was" "regularprice" "uvp" "msrp" "originalprice"]
    "price" Price ["price" "amount" "cost" "currentprice" "saleprice" "priceamount" "unitprice" "offerprice" "finalprice" "productprice" "preis" "prix" "precio" "prezzo" "pricevalue" "fee" "rent"]
        paths ["offers.price" "offers.priceSpecification.price" "offers.lowPrice" "offers.offers.price" "offers.offers.priceSpecification.price" "offers.offers.lowPrice" "offers.priceSpecification.minPrice" "hasVariant.offers.price" "hasVariant.offers.priceSpecification.price" "hasVariant.offers.lowPrice" "model.offers.price" "offers.itemOffered.price" "price" "lowPrice" "priceSpecification.price" "offers.highPrice"]
        metas ["product:sale_price:amount" "product:price:amount" "og:price:amount" "og:product:price:amount" "product:price" "price" "twitter:data1"]
        labels ["price" "ourprice" "yourprice" "saleprice" "salesprice" "specialprice" "nowprice" "dealprice" "currentprice" "preis" "unserpreis" "prix" "precio" "prezzo" "preço" "cena" "cenamin" "ár" "pris" "prijs" "hinta" "цена" "ціна" "fiyat" "価格" "販売価格" "税込価格" "价格" "售价" "優惠價" "售價" "가격" "판매가" "السعر" "ราคา" "giá" "harga" "preț" "pret" "cijena" "kaina" "hind" "cost" "amount" "fee" "rent"]
    "availability" Availability ["availability" "stock" "stockstatus" "stockavailability" "instock" "available" "isavailable" "inventory" "isinstock" "outofstock" "soldout"]
        paths ["offers.availability" "offers.offers.availability" "hasVariant.offers.availability" "availability" "offers.inventoryLevel.value"] metas ["product:availability" "og:availability" "availability" "og:product:availability"] labels ["availability" "stock" "verfügbarkeit" "disponibilité" "disponibilidad" "disponibilità" "наличие" "dostępność" "dostupnost"]
    "images" Image ["images" "imageurls" "photos" "pictures" "gallery" "imagelinks"]
        paths ["image" "images" "photo" "hasVariant.image" "thumbnailUrl" "primaryImageOfPage"] metas ["og:image" "og:image:url" "og:image:secure_url" "twitter:image" "twitter:image:src"] labels []
    "image" Image ["image" "imageurl" "photo" "picture" "thumbnail" "thumbnailurl" "mainimage" "img" "cover" "coverimage" "poster" "ogimage" "imagelink" "logo"]
        paths ["image" "images" "photo" "thumbnailUrl" "hasVariant.image" "primaryImageOfPage" "logo"] metas ["og:image" "og:image:url" "og:image:secure_url" "twitter:image" "twitter:image:src" "image"] labels []
    "canonical" Url ["canonical" "canonicalurl" "canonicallink" "permalink"]
        paths [] metas ["link:canonical" "og:url"] labels []
    "url" Url ["url" "link" "href" "pageurl" "producturl" "weburl" "sourceurl" "address_url" "uri" "website"]
        paths ["url" "@id" "mainEntityOfPage"] metas ["og:url" "link:canonical" "twitter:url"] labels ["url" "website" "link"]
    "brand" Named ["brand" "brandname" "manufacturer" "maker" "marke" "productbrand" "vendor"]
        paths ["brand.name" "brand" "manufacturer.name" "manufacturer" "hasVariant.brand"] metas ["product:brand" "og:brand" "brand" "og:product:brand"] labels ["brand" "brands" "brandname" "manufacturer" "marke" "hersteller" "marque" "fabricant" "marca" "marchio" "produttore" "fabricante" "бренд" "производитель" "merk" "merkki" "valmistaja" "märke" "mærke" "merke" "značka" "výrobce" "výrobca" "producent" "marka" "gyártó" "brend" "ブランド" "メーカー" "品牌" "브랜드" "제조사" "الماركة" "العلامةالتجارية" "producător" "brandul" "zīmols" "kaubamärk" "prekėsženklas" "bränd" "מותג" "יצרן" "znamka" "proizvođač" "blagovnaznamka"]
    "sku" Identifier ["sku" "productid" "itemnumber" "articlenumber" "itemid" "productcode" "artikelnummer" "asin" "stockcode" "itemcode" "partnumber" "skuid" "catalognumber" "referencenumber" "itemno"]
        paths ["sku" "productID" "hasVariant.sku" "offers.sku" "offers.itemOffered.sku" "identifier.value" "identifier"] metas ["product:retailer_item_id" "product:sku" "sku" "og:sku" "og:product:retailer_item_id"]
        labels ["sku" "asin" "productid" "productcode" "itemnumber" "itemno" "itemcode" "item" "articlenumber" "articleno" "article" "catalognumber" "catno" "stockcode" "partnumber" "code" "productno" "productnumber" "artikelnummer" "artikelnr" "artnr" "bestellnummer" "bestellnr" "produktnummer" "référence" "réf" "ref" "reference" "referencia" "codice" "codiceprodotto" "codicearticolo" "cod" "codprodus" "codprodotto" "codigo" "código" "codproduto" "sap" "артикул" "кодтовара" "код" "арт" "artikl" "kodproduktu" "kód" "kódproduktu" "katalógovéčíslo" "tootekood" "kood" "preceskods" "prekėskodas" "cikkszám" "tuotenumero" "varenummer" "varenr" "artnumber" "ürünkodu" "商品コード" "品番" "商品編號" "商品编号" "货号" "型號" "상품번호" "상품코드" "רקם" "מקט" "رقمالمنتج" "numerreferencyjny" "indeks" "anzeigennummer" "codearticle" "webcode" "ebayitemnumber" "šifra" "šifraproizvoda"]
    "mpn" Identifier ["mpn" "manufacturerpartnumber" "modelnumber" "model" "modelname"]
        paths ["mpn" "model.name" "model" "hasVariant.mpn"] metas ["product:mfr_part_no" "mpn"] labels ["mpn" "model" "modelnumber" "modell" "modello" "modelo" "modèle" "модель" "herstellernummer" "partnumber" "itemmodelnumber" "型番" "manufacturerpartnumber"]
    "gtin" Identifier ["gtin" "gtin13" "gtin12" "gtin14" "gtin8" "ean" "ean13" "upc" "barcode" "isbn" "isbn13"]
        paths ["gtin13" "gtin" "gtin12" "gtin14" "gtin8" "ean" "isbn" "hasVariant.gtin13" "offers.gtin13" "productID"] metas ["product:ean" "product:upc" "product:isbn" "product:gtin" "books:isbn" "og:isbn"] labels ["gtin" "ean" "eancode" "upc" "isbn" "isbn13" "barcode" "ean13" "codiceean" "штрихкод" "jan" "gtin13"]
    "ratingCount" Count ["ratingcount" "ratingscount" "numratings" "numberofratings" "totalratings" "votes" "numvotes" "ratingscounts"]
        paths ["aggregateRating.ratingCount" "aggregateRating.reviewCount" "ratingCount"] metas ["rating:count" "og:rating_count"] labels ["ratings" "votes"]
    "reviewCount" Count ["reviewcount" "reviewscount" "numreviews" "numberofreviews" "totalreviews" "numberofcustomerreviews" "countofreviews"]
        paths ["aggregateRating.reviewCount" "aggregateRating.ratingCount" "reviewCount"] metas ["review:count"] labels ["reviews"]
    "bestRating" Rating ["bestrating" "maxrating"] paths ["aggregateRating.bestRating" "reviewRating.bestRating"] metas [] labels []
    "rating" Rating ["rating" "ratings" "ratingvalue" "stars" "averagerating" "starrating" "aggregaterating" "score" "reviewrating" "avgrating" "reviewscore" "userrating" "customerrating"]
        paths ["aggregateRating.ratingValue" "reviewRating.ratingValue" "review.reviewRating.ratingValue" "starRating.ratingValue" "ratingValue" "contentRating"] metas ["og:rating" "rating:average"] labels ["rating" "customerrating" "stars" "bewertung" "note" "valoración" "valutazione" "рейтинг" "評価"]
    "author" Named ["author" "authors" "byline" "writer" "writtenby" "creator" "by" "authorname" "postedby" "reporter" "chef" "user" "username" "reviewer"]
        paths ["author" "creator" "contributor" "publisher"] metas ["author" "article:author" "dc.creator" "parsely-author" "sailthru.author" "book:author" "byl" "og:site_name"] labels ["author" "by" "writtenby" "postedby" "autor" "auteur" "autore" "автор" "von" "著者" "作者" "par"]
    "published" Date ["published" "datepublished" "publishedat" "publisheddate" "publicationdate" "publishdate" "pubdate" "publishedon" "date" "dateposted" "postedat" "posteddate" "posted" "createdat" "created" "datecreated" "releasedate" "uploaddate" "publishedtime" "publishtime"]
        paths ["datePublished" "datePosted" "uploadDate" "dateCreated" "releaseDate"] metas ["article:published_time" "datepublished" "og:published_time" "publishdate" "pubdate" "date" "dc.date" "dc.date.issued" "dcterms.created" "parsely-pub-date" "sailthru.date" "article:published" "book:release_date" "citation_publication_date" "publish-date" "og:article:published_time"] labels ["published" "publishedon" "posted" "postedon" "date" "datum" "veröffentlicht" "publiéle" "fecha" "data" "дата" "dateposted" "公開日" "日付" "发布时间"]
    "modified" Date ["modified" "datemodified" "modifiedat" "updated" "updatedat" "lastmodified" "lastupdated" "dateupdated" "modifieddate" "updateddate" "modifiedtime"]
        paths ["dateModified"] metas ["article:modified_time" "og:updated_time" "last-modified" "dcterms.modified" "datemodified"] labels ["updated" "lastupdated" "modified" "aktualisiert" "misàjour" "actualizado" "обновлено" "更新日"]
    "publisher" Named ["publisher" "publishername" "source" "outlet" "publication"]
        paths ["publisher" "sourceOrganization" "isPartOf"] metas ["og:site_name" "article:publisher" "dc.publisher" "publisher" "application-name"] labels ["publisher" "verlag" "éditeur" "editorial" "editore" "издательство" "出版社"]
    "siteName" Named ["sitename" "site" "websitename" "website_name" "hostname"]
        paths [] metas ["og:site_name" "application-name" "apple-mobile-web-app-title" "twitter:site"] labels []
    "category" Named ["category" "categories" "section" "articlesection" "recipecategory" "genre" "genres" "producttype" "department" "course" "topic" "team" "breadcrumb" "breadcrumbs"]
        paths ["recipeCategory" "articleSection" "category" "genre" "applicationCategory" "industry" "department"] metas ["article:section" "product:category" "category" "og:article:section"] labels ["category" "categories" "kategorie" "catégorie" "categoría" "categoria" "категория" "genre" "department" "team" "section" "course" "カテゴリ"]
    "keywords" Text ["keywords" "tags" "keyword" "tag" "labels" "topics"]
        paths ["keywords" "about.name"] metas ["article:tag" "keywords" "news_keywords" "parsely-tags" "sailthru.tags" "video:tag"] labels ["tags" "keywords" "tagged" "schlagworte"]
    "city" Text ["city" "town" "locality" "addresslocality"]
        paths ["address.addressLocality" "location.address.addressLocality" "jobLocation.address.addressLocality"] metas ["og:locality" "business:contact_data:locality"] labels ["city" "town" "stadt" "ville" "ciudad" "città" "город"]
    "region" Text ["region" "state" "province" "addressregion"]
        paths ["address.addressRegion" "location.address.addressRegion" "jobLocation.address.addressRegion"] metas ["og:region" "business:contact_data:region"] labels ["state" "region" "province"]
    "postalCode" Identifier ["postalcode" "zip" "zipcode" "postcode" "plz"]
        paths ["address.postalCode" "location.address.postalCode" "jobLocation.address.postalCode"] metas ["og:postal-code" "business:contact_data:postal_code"] labels ["postcode" "zip" "zipcode" "postalcode" "plz"]
    "country" Named ["country" "addresscountry" "countryname" "countrycode"]
        paths ["address.addressCountry" "location.address.addressCountry" "jobLocation.address.addressCountry" "nationality" "countryOfOrigin"] metas ["og:country-name" "business:contact_data:country_name"] labels ["country" "land" "pays" "país" "paese" "страна"]
    "street" Text ["street" "streetaddress" "addressline1"]
        paths ["address.streetAddress" "location.address.streetAddress" "jobLocation.address.streetAddress"] metas ["og:street-address" "business:contact_data:street_address"] labels ["street" "address"]
    "address" Text ["address" "fulladdress" "postaladdress"]
        paths ["address" "location.address" "jobLocation.address"] metas ["og:street-address" "business:contact_data:street_address"] labels ["address" "adresse" "dirección" "indirizzo" "adres" "адрес" "住所" "地址"]
    "location" Text ["location" "joblocation" "place" "venue" "where" "office"]
        paths ["location.name" "jobLocation.name" "location" "jobLocation.address.addressLocality" "jobLocation" "contentLocation" "address.addressLocality"] metas ["og:locality" "geo.placename"] labels ["location" "place" "venue" "where" "ort" "standort" "lieu" "lugar" "ubicación" "luogo" "место" "office" "場所" "勤務地"]
    "latitude" Rating ["latitude" "lat"] paths ["geo.latitude" "location.geo.latitude"] metas ["place:location:latitude" "og:latitude"] labels ["latitude"]
    "longitude" Rating ["longitude" "lng" "lon"] paths ["geo.longitude" "location.geo.longitude"] metas ["place:location:longitude" "og:longitude"] labels ["longitude"]
    "telephone" Identifier ["telephone" "phone" "phonenumber" "tel" "mobile"]
        paths ["telephone" "contactPoint.telephone" "location.telephone"] metas ["og:phone_number" "business:contact_data:phone_number"] labels ["telephone" "phone" "tel" "call" "telefon" "téléphone" "teléfono" "telefono" "телефон" "電話"]
    "email" Text ["email" "mail" "emailaddress" "contactemail"]
        paths ["email" "contactPoint.email"] metas ["og:email" "business:contact_data:email"] labels ["email" "mail" "emailaddress"]
    "startDate" Date ["startdate" "starttime" "start" "startsat" "begins" "eventdate" "doors" "from"]
        paths ["startDate" "validFrom"] metas ["event:start_time"] labels ["starts" "start" "startdate" "when" "date" "begin" "beginn" "doors"]
    "endDate" Date ["enddate" "endtime" "end" "endsat" "ends" "validthrough" "deadline" "closingdate" "expires" "expirydate"]
        paths ["endDate" "validThrough" "applicationDeadline" "expires"] metas ["event:end_time"] labels ["ends" "end" "enddate" "until" "ende" "deadline" "closingdate" "applyby" "expires"]
    "company" Named ["company" "companyname" "employer" "hiringorganization" "organization" "organisation" "hiringcompany" "organizer" "seller" "soldby" "merchant" "shop" "store"]
        paths ["hiringOrganization" "organizer" "offers.seller" "worksFor" "seller" "provider" "sourceOrganization"] metas [] labels ["company" "employer" "organization" "firma" "unternehmen" "entreprise" "empresa" "azienda" "компания" "会社名" "seller" "soldby" "organizer"]
    "salaryMin" Price ["salarymin" "minsalary" "salaryfrom"] paths ["baseSalary.value.minValue" "baseSalary.minValue"] metas [] labels []
    "salaryMax" Price ["salarymax" "maxsalary" "salaryto"] paths ["baseSalary.value.maxValue" "baseSalary.maxValue"] metas [] labels []
    "salary" Price ["salary" "basesalary" "pay" "wage" "compensation" "income"]
        paths ["baseSalary.value.value" "baseSalary.value.minValue" "baseSalary.value" "baseSalary" "estimatedSalary.median" "estimatedSalary.value.value"] metas [] labels ["salary" "pay" "gehalt" "salaire" "salario" "stipendio" "зарплата" "compensation" "年収" "給与"]
    "employmentType" Text ["employmenttype" "jobtype" "contracttype" "type"]
        paths ["employmentType"] metas ["og:type"] labels ["employmenttype" "jobtype" "type" "contract" "anstellungsart" "雇用形態"]
    "totalTime" Duration ["totaltime" "totalduration" "readyin" "totalcookingtime" "time" "timetotal"]
        paths ["totalTime" "performTime"] metas [] labels ["totaltime" "total" "readyin" "gesamtzeit" "gesamt" "temps total" "tempototale" "tiempototal" "totaltid" "totaletijd" "temps" "duréetotale" "tiempo" "celkovýčas" "czascałkowity" "общеевремя" "συνολικόςχρόνος" "toplamsüre" "所要時間" "总时间"]
    "prepTime" Duration ["preptime" "preparationtime" "prep"]
        paths ["prepTime"] metas [] labels ["preptime" "prep" "preparation" "preparationtime" "vorbereitung" "vorbereitungszeit" "arbeitszeit" "preparazione" "preparación" "préparation" "tempsdepréparation" "tiempodepreparación" "tempodipreparazione" "tempodepreparo" "bereidingstijd" "voorbereidingstijd" "preptid" "czasprzygotowania" "časprípravy" "časpřípravy" "времяподготовки" "προετοιμασία" "hazırlık" "準備時間"]
    "cookTime" Duration ["cooktime" "cookingtime" "cook" "baketime"]
        paths ["cookTime"] metas [] labels ["cooktime" "cook" "cooking" "cookingtime" "kochzeit" "backzeit" "cuisson" "cottura" "cocción" "tempsdecuisson" "tiempodecocción" "tempodicottura" "tempodecozimento" "kooktijd" "oventijd" "czasgotowania" "časvarenia" "dobavaření" "времяприготовления" "ψήσιμο" "χρόνοςμαγειρέματος" "pişirme" "調理時間"]
    "duration" Duration ["duration" "length" "runtime" "runningtime" "playtime"]
        paths ["duration" "timeRequired" "totalTime"] metas ["video:duration" "og:video:duration" "music:duration"] labels ["duration" "length" "runtime" "dauer" "durée" "duración" "durata" "длительность" "runningtime" "再生時間"]
    "language" Text ["language" "lang" "inlanguage" "locale"]
        paths ["inLanguage"] metas ["html:lang" "og:locale" "content-language" "language" "dc.language"] labels ["language" "sprache" "langue" "idioma" "lingua" "язык"]
    "ingredients" Text ["ingredients" "recipeingredient" "recipeingredients" "ingredient"]
        paths ["recipeIngredient" "ingredients" "supply"] metas [] labels ["ingredients" "zutaten" "ingrédients" "ingredientes" "ingredienti" "ингредиенты" "材料" "ingrediënten" "υλικά" "składniki" "ingredienser" "ingredienten" "ingredienti" "hozzávalók" "suroviny" "ingrediencie" "ingredience" "sastojci" "sestavine" "ingrediente" "malzemeler" "재료" "用料" "食材" "المكونات" "ainekset" "інгредієнти" "продукти" "מצרכים" "مكونات" "المقادير" "اجزاء" "bahan" "nguyênliệu" "ส่วนผสม" "состав" "съставки" "koostisosad" "sastāvdaļas" "ingredientai" "συστατικά" "सामग्री" "zutatenliste"]
    "instructions" Text ["instructions" "instructionslist" "recipeinstructions" "directions" "steps" "method" "preparationsteps" "instruction"]
        paths ["recipeInstructions" "step"] metas [] labels ["instructions" "directions" "method" "preparation" "zubereitung" "préparation" "preparación" "preparazione" "приготовление" "作り方" "steps" "εκτέλεση" "przygotowanie" "wykonanie" "bereiding" "bereidingswijze" "framgangsmåde" "fremgangsmåde" "fremgangsmåte" "gørsådan" "elkészítés" "postup" "priprema" "mododepreparo" "hazırlanışı" "만드는법" "做法" "elaboración" "instrucciones" "valmistus" "utförande" "anleitung" "étapes" "procedure" "preparo" "procedimento" "procedimiento" "pasos" "werkwijze" "tillagning" "görsåhär" "príprava" "postuppřípravy" "tarifi" "yapılışı" "步骤" "手順" "조리순서" "طريقةالتحضير" "הכנה" "cáchlàm" "caramembuat" "วิธีทำ" "приготування" "начинготвене"]
    "yields" Text ["yields" "yield" "recipeyield" "servings" "serves" "portions" "makes" "numberofservings"]
        paths ["recipeYield" "yield"] metas [] labels ["yield" "yields" "servings" "serves" "portionen" "portions" "makes" "porciones" "porzioni" "porties" "personen" "portioner" "porsjoner" "porcji" "porcí" "porcií" "personnes" "persone" "personas" "raciones" "porções" "annosta" "人分"]
    "cuisine" Text ["cuisine" "recipecuisine" "servescuisine"]
        paths ["recipeCuisine" "servesCuisine"] metas [] labels ["cuisine" "küche" "cocina" "cucina"]
    "diet" Text ["diet" "suitablefordiet" "diets"] paths ["suitableForDiet"] metas [] labels ["diet"]
    "calories" Text ["calories" "kcal"] paths ["nutrition.calories"] metas [] labels ["calories" "kalorien" "kcal" "energy"]
    "protein" Text ["protein" "proteincontent"] paths ["nutrition.proteinContent"] metas [] labels ["protein" "eiweiß"]
    "fat" Text ["fat" "fatcontent"] paths ["nutrition.fatContent"] metas [] labels ["fat" "fett"]
    "carbohydrates" Text ["carbohydrates" "carbs" "carbohydratecontent"] paths ["nutrition.carbohydrateContent"] metas [] labels ["carbohydrates" "carbs" "kohlenhydrate"]
    "nutrition" Text ["nutrition" "nutrients" "nutritionfacts"] paths ["nutrition"] metas [] labels ["nutrition"]
    "reviews" Text ["reviews" "review" "customerreviews"] paths ["review" "reviews"] metas [] labels []
    "offers" Text ["offers" "offer"] paths ["offers"] metas [] labels []
    "variants" Text ["variants" "variant" "hasvariant"] paths ["hasVariant"] metas [] labels []
    "condition" Text ["condition" "itemcondition"] paths ["offers.itemCondition" "itemCondition"] metas ["product:condition" "og:condition"] labels ["condition" "zustand" "état" "estado" "condizione" "состояние"]
    "color" Text ["color" "colour" "farbe"] paths ["color" "hasVariant.color"] metas ["product:color" "og:color"] labels ["color" "colour" "farbe" "couleur" "colore" "цвет" "カラー"]
    "size" Text ["size" "sizes"] paths ["size" "hasVariant.size"] metas ["product:size"] labels ["size" "größe" "taille" "talla" "taglia" "размер" "サイズ"]
    "material" Text ["material" "materials"] paths ["material"] metas ["product:material"] labels ["material" "matière" "materiale" "материал"]
    "weight" Text ["weight" "gewicht"] paths ["weight"] metas ["product:weight:value"] labels ["weight" "gewicht" "poids" "peso" "вес"]
    "text" Text ["text" "body" "articlebody" "content" "fulltext"] paths ["articleBody" "text" "reviewBody"] metas [] labels []
};

/// Words before or after the core of a name that only say what it belongs to.
const OWNERS: &[&str] = &[
    "product", "recipe", "article", "job", "item", "page", "event", "book", "post", "story", "movie", "video",
    "listing", "current", "main", "full", "the", "total", "value", "text", "string", "raw", "minutes", "mins", "min",
    "hours", "seconds", "secs", "usd", "eur", "gbp", "list", "name", "number", "code", "id", "url", "at", "on", "date",
    "company", "org",
];

/// The concept a field name means, if it is known.
#[must_use]
pub fn concept(name: &str) -> Option<&'static Concept> {
    let folded = fold(name);
    if let Some(found) = by_alias(&folded) {
        return Some(found);
    }
    let words = words(name);
    // Drop owner words from the front, then from the end, until the rest is known.
    for front in 0..words.len() {
        if front > 0 && !words.get(front - 1).is_some_and(|word| OWNERS.contains(&word.as_str())) {
            break;
        }
        for back in (front + 1..=words.len()).rev() {
            if back < words.len() && !words.get(back).is_some_and(|word| OWNERS.contains(&word.as_str())) {
                break;
            }
            let core = words.get(front..back).unwrap_or(&[]).concat();
            if let Some(found) = by_alias(&core) {
                return Some(found);
            }
        }
    }
    None
}

fn by_alias(folded: &str) -> Option<&'static Concept> {
    static INDEX: OnceLock<HashMap<String, &'static Concept>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = HashMap::new();
        for concept in CONCEPTS {
            for alias in concept.aliases {
                index.entry((*alias).to_owned()).or_insert(concept);
            }
        }
        for concept in CONCEPTS {
            index.entry(fold(concept.id)).or_insert(concept);
        }
        index
    });
    index.get(folded).copied()
}

/// The unit that a field name asks durations to be in, as seconds in it.
#[must_use]
pub fn duration_unit(name: &str) -> Option<f64> {
    match words(name).last().map(String::as_str) {
        Some("minutes" | "mins" | "min" | "minute") => Some(60.0),
        Some("hours" | "hour" | "hrs" | "h") => Some(3600.0),
        Some("seconds" | "secs" | "sec" | "s") => Some(1.0),
        Some("days" | "day") => Some(86400.0),
        Some("ms" | "milliseconds" | "millis") => Some(0.001),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> &'static str {
        concept(name).map_or("", |concept| concept.id)
    }

    #[test]
    fn synonyms_in_any_case_mean_the_same() {
        assert_eq!(id("price"), "price");
        assert_eq!(id("product_price"), "price");
        assert_eq!(id("currentPrice"), "price");
        assert_eq!(id("Rating-Count"), "ratingCount");
        assert_eq!(id("published_at"), "published");
        assert_eq!(id("total_time_minutes"), "totalTime");
        assert_eq!(id("image_url"), "image");
        assert_eq!(id("imageUrls"), "images");
        assert_eq!(id("jobTitle"), "name");
        assert_eq!(id("points"), "");
    }

    #[test]
    fn units_are_read_from_names() {
        assert_eq!(duration_unit("total_time_minutes"), Some(60.0));
        assert_eq!(duration_unit("durationSeconds"), Some(1.0));
        assert_eq!(duration_unit("duration"), None);
    }
}
